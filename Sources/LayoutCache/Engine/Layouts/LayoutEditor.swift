import CollectionLayout
import LayoutGeometry
import SumTree

/// Carries batches out on a layout's result, and says what that did.
///
/// Sections whose items choose their places one by one are edited as the operations
/// come. All others follow from the items as they are in the end: of those the editor
/// keeps account of what has changed, and ``finish(_:)`` moves them on once.
struct LayoutEditor {
  var results: SumTree<SectionResultLeaf>
  var context = InvalidationContext()
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  /// Its account has what the edits did to the layout's nodes.
  let session: TreeSession
  /// The items that the batch's operations may still place again at their places.
  private var placingMax = 0
  /// The changes of sections that still have to follow, by their present index.
  var pending: [Int: ChangedSection] = [:]
  /// Changes of neighbours, one after the other, that are still to be carried out: a
  /// screenful that a client has measured is one edit.
  private var changes: ItemChanges?
  /// The results before the last batch.
  private(set) var former: FormerResults?
  /// The sections whose items choose their places in which the present batch has placed items
  /// again, by their present index, and what has changed in them since.
  var placedAnew: [Int: ChangedSection] = [:]
  /// Whether the present batch takes the one before back: then ``placedAnew`` has all that is
  /// to be put back.
  var isTakingBack = false
  /// The sections whose columns are no work.
  var computed: Set<Int> = []
  let elementCountMax: Int
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

  private struct ItemChanges {
    var run: ItemLeaf
    var index: Int
    var section: SectionReference
  }

  /// - Parameter former: The results before the last batch that led to these, if they are known.
  init(
    _ results: SumTree<SectionResultLeaf>, former: FormerResults?, plan: LayoutPlan,
    _ view: ItemView, _ shapes: TreeShapes, elementCountMax: Int, in session: TreeSession
  ) {
    self.results = results
    self.former = former
    self.elementCountMax = elementCountMax
    self.plan = plan
    self.view = view
    self.shapes = shapes
    self.session = session
    mainLengthBefore = plan.mainLength(of: results)
    createdNodesBefore = session.edits.createdNodes
  }

  /// Carries out a batch, and then the instalment of a rebalance that goes with it, if
  /// any is overdue: once for each batch of the log that concerns layouts, whoever follows
  /// it, so that all come to the same columns. A batch that takes the one before back has
  /// none: the columns come back as they were, where the layout was there before.
  ///
  /// - Throws: `LimitError` where the content would become too long,
  ///   ``MisplacedOperation`` for a place that the layout lacks; the value is then of
  ///   no more use.
  /// - Precondition: The batch does not lay this layout out from scratch.
  mutating func apply(_ batch: LoggedBatch) throws {
    let past = former
    former = FormerResults(results: results)
    if batch.isOfData && !plan.readsData { return }
    placedAnew = [:]
    defer { former?.placedAnew = placedAnew }
    if batch.isUndo, let past { return try takeBack(batch, to: past) }
    placingMax = shapes.rebalancing.batchMax
    for operation in batch.operations { try apply(operation) }
    try changeItems()
    if batch.isOfData || results.summary.overdueCount == 0 { return }
    if batch.carriesOn(view.layout) {
      try carryOn(placing: shapes.rebalancing.batchMax)
    } else {
      _ = try carryOnFirst(placing: shapes.rebalancing.instalment)
    }
  }

  /// Moves the sections on that have not followed yet, after the last batch.
  ///
  /// - Parameter dataset: The dataset's trees after the batches.
  /// - Returns: What all that did.
  /// - Throws: As ``apply(_:)``.
  mutating func finish(_ dataset: DatasetTrees) throws -> InvalidationContext {
    for (index, section) in pending.sorted(by: { $0.key < $1.key }) {
      try follow(section, at: index, dataset)
    }
    pending = [:]
    assert(changes == nil, "changes of items have not been applied")
    let mainLength = plan.mainLength(of: results)
    try Limits.checkContent(mainLength)
    context.contentSizeAdjustment = plan.space.oriented(
      Size(width: .zero, height: mainLength - mainLengthBefore))
    let (plan, results, session) = (plan, results, session)
    assert(
      context.sections.allSatisfy { $0.section < results.count },
      "the context names a section that the layout lacks")
    try context.setStarts { try plan.start(ofSection: $0, in: results, session) }
    context.work.changedNodes = session.edits.createdNodes - createdNodesBefore
    context.work.recomputedColumns = context.sections.reduce(0) { sum, section in
      computed.contains(section.section)
        ? sum : section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
    return context
  }

  mutating func apply(_ operation: ResolvedOperation) throws {
    if case .changeItem(let run, let index, let section, let concerned, _) = operation {
      if concerned ?? view.layout != view.layout { return }
      return try change(ItemChanges(run: run, index: index, section: section))
    }
    if case .changeData(_, _, let index, let section, _) = operation {
      guard plan.section(section.key).kind.readsData else { return }
      pending[section.index] = try changed(
        pending[section.index], index..<(index + 1), becoming: 1, of: section)
      return
    }
    try changeItems()
    switch operation {
    case .insertItems(let run, let index, let section, _):
      context.invalidateDataSourceCounts = true
      try edit(.insert(run.items, at: index), of: section)
    case .deleteItems(let range, let section, _):
      context.invalidateDataSourceCounts = true
      try edit(.delete(range), of: section)
    case .invalidateItems(let range, let section, let concerned):
      guard concerned == view.layout else { return }
      guard section.index < results.count else { throw MisplacedOperation() }
      context.invalidate(
        SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .rebalance(let item, let section, let concerned):
      guard concerned == view.layout else { return }
      try edit(.rebalance(from: item, placing: placingMax), of: section)
    case .changeSupplementary(let kind, let section, let concerned, let length, _):
      guard concerned == view.layout else { return }
      try measure(kind, of: section, length)
    case .insertSection(let section):
      try insert(
        plan.section(section.key).withoutItems(shapes), at: section.index)
      append(.insert(section.index))
    case .deleteSection(let section, _, _):
      try remove(section.index).content.kept?.drop(&session.edits)
      append(.delete(section.index))
    case .moveSection(let section, let target):
      try insert(try remove(section.index), at: target)
      append(.move(from: section.index, to: target))
    case .changeItem, .changeData, .carryOn, .mark, .undo: break
    case .everything(let concerned):
      precondition(concerned != view.layout, "what lays a layout out from scratch is no edit")
    case .build: throw MisplacedOperation()
    }
  }
}

// MARK: - Items

extension LayoutEditor {
  /// Takes a change, to be carried out with those of the items before.
  private mutating func change(_ next: ItemChanges) throws {
    if var present = changes, present.section == next.section,
      next.index == present.index + present.run.count
    {
      changes = nil
      present.run.append(next.run)
      changes = present
      return
    }
    try changeItems()
    changes = next
  }

  /// Carries out the changes that have been taken.
  mutating func changeItems() throws {
    guard let taken = changes.take() else { return }
    try edit(.change(taken.run, at: taken.index), of: taken.section)
  }

  private mutating func edit(_ edit: ItemEdit, of section: SectionReference) throws {
    let sectionPlan = plan.section(section.key)
    switch sectionPlan.kind.placing.following {
    case .atOnce where isTakingBack:
      placedAnew[section.index] = try changed(
        placedAnew[section.index], edit.range, becoming: edit.newCount, of: section)
    case .atOnce(let placing):
      var result = try result(of: section.index)
      let countBefore = result.content.itemCount
      let (change, length) = try placing.apply(edit, &result.content, view, shapes, in: session)
      assert(
        result.content.itemCount == countBefore - edit.range.count + edit.newCount,
        "the section has other items than the edit leaves")
      if case .rebalance = edit { placingMax -= change.recomputedItems }
      result.overdueKey = try placing.isOverdue(result.content) ? section.key : nil
      try keep(result, at: section.index, change, contentLength: length, sectionPlan)
      if case .rebalance = edit {
        notePlacedAnew(
          change, section.key, itemCount: result.content.itemCount, at: section.index)
      } else if let present = placedAnew[section.index] {
        placedAnew[section.index] = try changed(
          present, edit.range, becoming: edit.newCount, of: section)
      }
    case .afterwards:
      if case .rebalance = edit { return }
      pending[section.index] = try changed(
        pending[section.index], edit.range, becoming: edit.newCount, of: section)
    }
  }

  /// Continues with evening out the first section that is to be.
  ///
  /// - Returns: How many items it has placed again; `nil` where there is no such section.
  /// - Complexity: O(log sections) nodes to find it.
  private mutating func carryOnFirst(placing itemCountMax: Int) throws -> Int? {
    let place = try results.firstPlace(
      from: OverdueSections(), where: { $0.count > 0 }, in: session)
    guard let place else { return nil }
    var result = place.leaf.entries[place.index]
    guard let key = result.overdueKey, case let sectionPlan = plan.section(key),
      case .atOnce(let placing) = sectionPlan.kind.placing.following
    else { throw DamagedLayout(detail: "a section is to be evened out that always is") }
    let (change, length) = try placing.carryOn(
      &result.content, placing: itemCountMax, shapes, in: session)
    if try !placing.isOverdue(result.content) { result.overdueKey = nil }
    try keep(result, at: place.offset, change, contentLength: length, sectionPlan)
    notePlacedAnew(change, key, itemCount: result.content.itemCount, at: place.offset)
    return change.recomputedItems
  }

  /// Continues with evening out one section after the other.
  private mutating func carryOn(placing itemCountMax: Int) throws {
    var rest = itemCountMax
    while rest > 0, let placed = try carryOnFirst(placing: rest) { rest -= max(placed, 1) }
  }

  /// Moves a section on by all that has changed in it.
  private mutating func follow(
    _ section: ChangedSection, at index: Int, _ dataset: DatasetTrees
  ) throws {
    let sectionPlan = plan.section(section.key)
    guard case .afterwards(let placing) = sectionPlan.kind.placing.following else { return }
    let items = SectionItems(
      dataset, in: try dataset.items(ofSection: index, in: session), for: sectionPlan, view,
      shapes, in: session)
    guard items.count == section.changes.count else { throw MisplacedOperation() }
    var result = try result(of: index)
    let (change, length) = try placing.follow(section.changes, &result.content, items)
    assert(result.content.itemCount == items.count, "the section has other items than the dataset")
    if change.areColumnsComputed { computed.insert(index) }
    try keep(result, at: index, change, contentLength: length, sectionPlan)
  }

  /// Takes over what a section has come to, and notes what has changed in it.
  mutating func keep(
    _ result: SectionResult, at index: Int, _ change: PlacementChange, contentLength: Length,
    _ plan: SectionPlan
  ) throws {
    guard contentLength >= .zero else {
      throw DamagedLayout(detail: "the content of section \(index) has a negative length")
    }
    var result = result
    let lengthBefore = result.length
    let plan = plan.measured(result.measured)
    result.length = plan.fixedLength + contentLength
    if change.isKept { try put(result, at: index) }
    guard change.isKept || !change.items.isEmpty else { return }
    context.work.recomputedItems += change.recomputedItems
    var invalidation = SectionInvalidation(
      section: index, items: change.items, columns: change.columns.ranges)
    let contentStart = plan.header + plan.inset.top
    invalidation.interval = change.interval.map {
      (contentStart + Length(units: $0.lowerBound))..<(contentStart + Length(units: $0.upperBound))
    }
    if result.length != lengthBefore {
      if plan.footer > .zero { invalidation.supplementaryElements = [.footer] }
      if let background = plan.background { invalidation.decorationElements = [background.kind] }
      invalidation.name(plan.kind.ownElements?.sectionKinds ?? [])
    }
    if !change.items.isEmpty { invalidation.name(plan.kind.ownElements?.cellKinds ?? []) }
    context.invalidate(invalidation)
  }
}
