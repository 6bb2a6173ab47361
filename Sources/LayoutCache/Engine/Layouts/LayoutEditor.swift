import CollectionLayout
import LayoutGeometry
import SumTree

/// Carries batches out on a layout's result, and says what that did.
///
/// Sections whose items choose their places one by one are edited as the operations
/// come. All others follow from the items as they are in the end: of those the editor
/// keeps account of what has changed, and ``finish(_:)`` moves them on once.
struct LayoutEditor {
  private(set) var results: SumTree<SectionResultLeaf>
  private(set) var context = InvalidationContext()
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  /// Its account has what the edits did to the layout's nodes.
  let session: TreeSession
  /// The items that the batch's operations may still place anew at their places.
  private var placingMax = 0
  /// What has changed in sections that are still to follow, by their present index.
  private var pending: [Int: ChangedSection] = [:]
  /// The results before the last batch.
  private(set) var former: FormerResults?
  /// The sections whose items choose their places in which the present batch has placed items
  /// anew, by their present index, and what has changed in them since.
  var placedAnew: [Int: ChangedSection] = [:]
  /// Whether the present batch takes the one before back: then ``placedAnew`` has all that is
  /// to be put back.
  var isTakingBack = false
  /// The sections whose columns are no work.
  private var computed: Set<Int> = []
  private let elementCountMax: Int
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

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
    if batch.isOfData { return }
    placedAnew = [:]
    defer { former?.placedAnew = placedAnew }
    if batch.isUndo, let past { return try takeBack(batch, to: past) }
    placingMax = shapes.rebalancing.batchMax
    for operation in batch.operations { try apply(operation) }
    if results.summary.overdueCount == 0 { return }
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
    let mainLength = plan.mainLength(of: results)
    try Limits.checkContent(mainLength)
    context.contentSizeAdjustment = plan.space.oriented(
      Size(width: .zero, height: mainLength - mainLengthBefore))
    let (plan, results, session) = (plan, results, session)
    try context.setStarts { try plan.start(ofSection: $0, in: results, session) }
    context.work.changedNodes = session.edits.createdNodes - createdNodesBefore
    context.work.recomputedColumns = context.sections.reduce(0) { sum, section in
      computed.contains(section.section)
        ? sum : section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
    return context
  }

  mutating func apply(_ operation: ResolvedOperation) throws {
    switch operation {
    case .insertItems(let run, let index, let section, _):
      context.invalidateDataSourceCounts = true
      try edit(.insert(run.items, at: index), of: section)
    case .deleteItems(let range, let section, _):
      context.invalidateDataSourceCounts = true
      try edit(.delete(range), of: section)
    case .changeItem(let run, let index, let section, let concerned, _):
      if let concerned, concerned != view.layout { return }
      try edit(.change(run, at: index), of: section)
    case .invalidateItems(let range, let section, let concerned):
      guard concerned == view.layout else { return }
      guard section.index < results.count else { throw MisplacedOperation() }
      context.invalidate(
        SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .rebalance(let item, let section, let concerned):
      guard concerned == view.layout else { return }
      try edit(.rebalance(from: item, placing: placingMax), of: section)
    case .insertSection(let section):
      try insert(
        SectionResult(length: plan.section(section.key).fixedLength, content: .none),
        at: section.index)
      append(.insert(section.index))
    case .deleteSection(let section, _, _):
      try remove(section.index).content.kept?.drop(&session.edits)
      append(.delete(section.index))
    case .moveSection(let section, let target):
      try insert(try remove(section.index), at: target)
      append(.move(from: section.index, to: target))
    case .changeData, .carryOn, .mark, .undo: break
    case .everything(let concerned):
      precondition(concerned != view.layout, "what lays a layout out from scratch is no edit")
    case .build: throw MisplacedOperation()
    }
  }
}

// MARK: - Items

extension LayoutEditor {
  private mutating func edit(_ edit: ItemEdit, of section: SectionReference) throws {
    let sectionPlan = plan.section(section.key)
    switch sectionPlan.kind.placing.following {
    case .atOnce where isTakingBack:
      placedAnew[section.index] = try changed(placedAnew[section.index], by: edit, of: section)
    case .atOnce(let placing):
      var result = try result(of: section.index)
      let (change, length) = try placing.apply(edit, &result.content, view, shapes, in: session)
      if case .rebalance = edit { placingMax -= change.recomputedItems }
      result.overdueKey = try placing.isOverdue(result.content) ? section.key : nil
      try keep(result, at: section.index, change, contentLength: length, sectionPlan)
      if case .rebalance = edit {
        notePlacedAnew(
          change, section.key, itemCount: result.content.itemCount, at: section.index)
      } else if let present = placedAnew[section.index] {
        placedAnew[section.index] = try changed(present, by: edit, of: section)
      }
    case .afterwards:
      if case .rebalance = edit { return }
      pending[section.index] = try changed(pending[section.index], by: edit, of: section)
    }
  }

  /// Goes on with evening out the first section that is to be.
  ///
  /// - Returns: How many items it has placed anew; `nil` where there is no such section.
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

  /// Goes on with evening out one section after the other.
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
      dataset.items, in: try dataset.items(ofSection: index, in: session), view, shapes,
      in: session)
    guard items.count == section.changes.count else { throw MisplacedOperation() }
    var result = try result(of: index)
    let (change, length) = try placing.follow(section.changes, &result.content, items)
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
    }
    context.invalidate(invalidation)
  }
}

// MARK: - Sections

extension LayoutEditor {
  func result(of section: Int) throws -> SectionResult {
    guard section < results.count else { throw MisplacedOperation() }
    let found = try results.place(at: section, in: session)
    let result = found.leaf.entries[found.index]
    guard result.content.kept?.elementCount ?? 0 <= elementCountMax else {
      throw DamagedLayout(detail: "section \(section) has more elements than the file has bytes")
    }
    return result
  }

  private mutating func put(_ result: SectionResult, at section: Int) throws {
    try results.updateLeaf(containing: section, in: session) { leaf, first in
      leaf.entries[section - first] = result
    }
  }

  private mutating func insert(_ result: SectionResult, at index: Int) throws {
    guard index <= results.count else { throw MisplacedOperation() }
    try results.replaceSubrange(
      index..<index, with: SectionResultLeaf(entries: [result]), in: session)
  }

  private mutating func remove(_ index: Int) throws -> SectionResult {
    let result = try result(of: index)
    try results.replaceSubrange(index..<(index + 1), with: nil, in: session)
    return result
  }

  /// Notes how the sections changed, in the context and for what is still to come.
  private mutating func append(_ change: SectionChange) {
    context.append(change)
    pending = change.carried(pending)
    placedAnew = change.carried(placedAnew)
  }
}
