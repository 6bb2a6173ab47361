import CollectionLayout
import LayoutGeometry
import SumTree

/// An editor that applies batches to a layout's result and records the effect.
///
/// Sections whose items choose their positions one by one are edited operation by operation. All
/// other sections depend only on the final items: the editor records their changes, and
/// ``finish(_:)`` updates them once.
struct LayoutEditor {
  var results: SumTree<SectionResultLeaf>
  var context = InvalidationContext()
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  /// The session, which records the edits of the layout's nodes.
  let session: TreeSession
  /// The number of items that the batch's operations may still place again immediately.
  private var placingMax = 0
  /// The number of items that may still be placed, but for rebalances.
  var committedMax = Int.max
  /// The pending changes of sections that are updated at the end, by their present index.
  var pending: [Int: ChangedSection] = [:]
  /// Collected changes of adjacent items that are not applied yet: a screenful of measurements
  /// from a client is one edit.
  private var changes: ItemChanges?
  /// The results before the last batch.
  private(set) var former: PreviousResults?
  /// The sections whose items choose their positions and in which the present batch has placed
  /// items again, by their present index, with the changes since.
  var replaced: [Int: ChangedSection] = [:]
  /// The places of the present batch's edits, by their sections' present index.
  var edited: [Int: EditedPlace] = [:]
  /// Whether the present batch reverts the previous one. ``replaced`` then has everything that
  /// must be restored.
  var isTakingBack = false
  /// The sections whose columns do not count as recomputed.
  var computed: Set<Int> = []
  let elementCountMax: Int
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

  private struct ItemChanges {
    var run: ItemLeaf
    var index: Int
    var section: SectionReference
  }

  /// - Parameter former: The results before the last applied batch, if known.
  init(
    _ results: SumTree<SectionResultLeaf>, former: PreviousResults?, plan: LayoutPlan,
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

  /// Applies a batch, corrects uneven columns where it edited items, and carries out one
  /// instalment of a rebalance if any is overdue. Every process does this once for each batch of
  /// the log that concerns layouts, so that all have the same columns. An undo restores the
  /// previous columns instead, if the layout existed then.
  ///
  /// - Throws: `LimitError` if the content would become too long, ``MisplacedOperation`` for a
  ///   position that the layout lacks. The editor is then unusable.
  /// - Precondition: The batch does not lay this layout out from scratch.
  mutating func apply(_ batch: LoggedBatch) throws {
    let past = former
    former = PreviousResults(results: results)
    if batch.isOfData && !plan.readsData { return }
    replaced = [:]
    edited = [:]
    defer { former?.replaced = replaced }
    if batch.isUndo, let past { return try revert(batch, to: past) }
    placingMax = shapes.rebalancing.batchMax
    for operation in batch.operations { try apply(operation) }
    try changeItems()
    if batch.isOfData { return }
    try correctEditedPlaces()
    if results.summary.overdueCount == 0 { return }
    if batch.carriesOn(view.layout) {
      try continueRebalance(placing: shapes.rebalancing.batchMax)
    } else {
      _ = try continueFirst(placing: shapes.rebalancing.instalment)
    }
  }

  /// Updates the sections with pending changes, after the last batch.
  ///
  /// - Parameter dataset: The dataset's trees after the batches.
  /// - Returns: The effect of all batches.
  /// - Throws: The errors of ``apply(_:)``.
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
      guard plan.readsData, try sectionPlan(section).kind.readsData else { return }
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
    case .insertSection(let section, let style):
      var result = try plan.section(section.key, style: style).withoutItems(shapes)
      result.style = style
      try insert(result, at: section.index)
      append(.insert(section.index))
    case .changeStyle(let section, let change):
      try restyle(section, change)
    case .deleteSection(let section, _, _, _):
      try remove(section.index).content.kept?.drop(&session.edits)
      append(.delete(section.index))
    case .moveSection(let section, let target):
      try insert(try remove(section.index), at: target)
      append(.move(from: section.index, to: target))
    case .changeItem, .changeData, .continueRebalance, .mark, .undo: break
    case .everything(let concerned):
      precondition(concerned != view.layout, "a layout laid out from scratch is not edited")
    case .build: throw MisplacedOperation()
    }
  }
}

// MARK: - Items

extension LayoutEditor {
  /// Adds a change to those of the preceding adjacent items, or applies those and starts again.
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

  /// Applies the collected changes.
  mutating func changeItems() throws {
    guard let taken = changes.take() else { return }
    try edit(.change(taken.run, at: taken.index), of: taken.section)
  }

  mutating func edit(_ edit: ItemEdit, of section: SectionReference) throws {
    let sectionPlan = try sectionPlan(section)
    switch sectionPlan.kind.placing.following {
    case .atOnce where isTakingBack:
      replaced[section.index] = try changed(
        replaced[section.index], edit.range, becoming: edit.newCount, of: section)
    case .atOnce(let placing):
      committedMax -= edit.newCount
      guard committedMax >= 0 else { throw ExceedsCommit() }
      var result = try result(of: section.index)
      let countBefore = result.content.itemCount
      let (change, length) = try placing.apply(edit, &result.content, view, shapes, in: session)
      assert(
        result.content.itemCount == countBefore - edit.range.count + edit.newCount,
        "the section has other items than the edit leaves")
      if case .rebalance = edit { placingMax -= change.recomputedItems }
      result.overdueKey = try placing.isOverdue(result.content) ? section.key : nil
      try keep(result, at: section.index, change, contentLength: length, sectionPlan)
      if let end = change.editedEnd {
        recordEdited(section, rest: result.content.itemCount - end)
      }
      if case .rebalance = edit {
        recordReplaced(
          change, section.key, itemCount: result.content.itemCount, at: section.index)
      } else if let present = replaced[section.index] {
        replaced[section.index] = try changed(
          present, edit.range, becoming: edit.newCount, of: section)
      }
    case .afterwards:
      if case .rebalance = edit { return }
      pending[section.index] = try changed(
        pending[section.index], edit.range, becoming: edit.newCount, of: section)
    }
  }

  /// Continues the rebalance of the first overdue section.
  ///
  /// - Returns: The number of items placed again; `nil` if no section is overdue.
  /// - Complexity: O(log sections) nodes to find it.
  private mutating func continueFirst(placing itemCountMax: Int) throws -> Int? {
    let place = try results.firstPlace(
      from: OverdueSections(), where: { $0.count > 0 }, in: session)
    guard let place else { return nil }
    var result = place.leaf.entries[place.index]
    guard let key = result.overdueKey,
      case let sectionPlan = plan.section(key, style: result.style),
      case .atOnce(let placing) = sectionPlan.kind.placing.following
    else { throw DamagedLayout(detail: "a section that never rebalances is overdue") }
    let (change, length) = try placing.continueRebalance(
      &result.content, placing: itemCountMax, shapes, in: session)
    if try !placing.isOverdue(result.content) { result.overdueKey = nil }
    try keep(result, at: place.offset, change, contentLength: length, sectionPlan)
    recordReplaced(change, key, itemCount: result.content.itemCount, at: place.offset)
    return change.recomputedItems
  }

  /// Continues the rebalances, section by section.
  private mutating func continueRebalance(placing itemCountMax: Int) throws {
    var rest = itemCountMax
    while rest > 0, let placed = try continueFirst(placing: rest) { rest -= max(placed, 1) }
  }

  /// Updates a section for all its pending changes.
  private mutating func follow(
    _ section: ChangedSection, at index: Int, _ dataset: DatasetTrees
  ) throws {
    let sectionPlan = try sectionPlan(SectionReference(index: index, key: section.key))
    guard case .afterwards(let placing) = sectionPlan.kind.placing.following else { return }
    var items = SectionItems(
      dataset, in: try dataset.items(ofSection: index, in: session), for: sectionPlan, view,
      shapes, in: session)
    items.placingMax = committedMax
    guard items.count == section.changes.count else { throw MisplacedOperation() }
    var result = try result(of: index)
    let (change, length) = try placing.follow(section.changes, &result.content, items)
    assert(result.content.itemCount == items.count, "the section has other items than the dataset")
    committedMax = max(committedMax - change.recomputedItems, 0)
    if change.areColumnsComputed { computed.insert(index) }
    try keep(result, at: index, change, contentLength: length, sectionPlan)
  }

  /// Stores the new result of a section and records its changes.
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
    if change.hasNewContent { try put(result, at: index) }
    guard change.hasNewContent || !change.items.isEmpty else { return }
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
