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
  private var changes: ItemSplice.Side?
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
    if batch.kind == .build { throw MisplacedOperation() }
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
    switch operation {
    case .items(let splice): try apply(splice)
    case .sections(let splice):
      try changeItems()
      try apply(splice)
    case .note(let note, let concerned):
      try changeItems()
      if concerned == view.layout { try apply(note) }
    }
  }

  private mutating func apply(_ note: LayoutNote) throws {
    switch note {
    case .invalidate(let range, let section):
      guard section.index < results.count else { throw MisplacedOperation() }
      context.invalidate(SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .rebalance(let start, let section):
      try edit(.rebalance(from: start, placing: placingMax), of: section)
    case .continueRebalance: break
    case .everything: preconditionFailure("a layout laid out from scratch is not edited")
    }
  }
}

// MARK: - Items

extension LayoutEditor {
  private mutating func apply(_ splice: ItemSplice) throws {
    let (before, after) = (splice.before, splice.after)
    switch splice.aspect {
    case .place:
      try changeItems()
      context.invalidateDataSourceCounts = true
      if before.count > 0 { try edit(.delete(before.range), of: before.section) }
      if let run = after.run { try edit(.insert(run.items, at: after.index), of: after.section) }
    case .values:
      guard splice.layout ?? view.layout == view.layout else { return }
      if changes?.append(after) ?? false { return }
      try changeItems()
      changes = after
    case .data:
      guard plan.readsData, try sectionPlan(after.section).kind.readsData else { return }
      pending[after.section.index] = try changed(
        pending[after.section.index], after.range, becoming: after.count, of: after.section)
    }
  }

  /// Applies the collected changes.
  mutating func changeItems() throws {
    guard let taken = changes.take(), let run = taken.run else { return }
    try edit(.change(run.items, at: taken.index), of: taken.section)
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

/// The place in a section before which all edits of a batch are.
struct EditedPlace: Sendable {
  var key: String
  /// The number of items after it.
  var rest: Int
}

extension LayoutEditor {
  mutating func recordEdited(_ section: SectionReference, rest: Int) {
    let least = min(rest, edited[section.index]?.rest ?? rest)
    edited[section.index] = EditedPlace(key: section.key, rest: least)
  }

  /// Corrects uneven columns at the places of the batch's edits.
  mutating func correctEditedPlaces() throws {
    for (index, place) in edited.sorted(by: { $0.key < $1.key }) where place.rest > 0 {
      let section = SectionReference(index: index, key: place.key)
      let sectionPlan = try sectionPlan(section)
      guard case .atOnce(let placing) = sectionPlan.kind.placing.following else { continue }
      var result = try result(of: index)
      let correction = try placing.correct(
        &result.content, at: result.content.itemCount - place.rest,
        placing: shapes.rebalancing.instalment, shapes, in: session)
      guard let (change, length) = correction else { continue }
      result.overdueKey = try placing.isOverdue(result.content) ? place.key : nil
      try keep(result, at: index, change, contentLength: length, sectionPlan)
      recordReplaced(change, place.key, itemCount: result.content.itemCount, at: index)
    }
  }
}

// Support for undo: recording what each batch does to sections whose items choose their
// positions, beyond the effect of its operations, and restoring it.

extension LayoutEditor {
  /// Reverts the last batch. Sections whose items choose their positions are restored where the
  /// batch changed them; all other sections follow as usual.
  mutating func revert(_ batch: LoggedBatch, to past: PreviousResults) throws {
    for (index, section) in past.replaced {
      var entry = ChangedSection(
        key: section.key, changes: ItemHunks(count: section.changes.count))
      for hunk in section.changes.hunks where !hunk.new.isEmpty {
        entry.changes.replace(hunk.new, withCount: hunk.new.count)
      }
      replaced[index] = entry
    }
    isTakingBack = true
    defer { isTakingBack = false }
    for operation in batch.operations { try apply(operation) }
    try changeItems()
    for (index, section) in replaced.sorted(by: { $0.key < $1.key }) {
      try restore(section, at: index, from: past.results)
    }
  }

  private mutating func restore(
    _ section: ChangedSection, at index: Int, from past: SumTree<SectionResultLeaf>
  ) throws {
    let sectionPlan = try sectionPlan(SectionReference(index: index, key: section.key))
    guard case .atOnce(let placing) = sectionPlan.kind.placing.following else { return }
    guard index < past.count else { throw MisplacedOperation() }
    let found = try past.place(at: index, in: session)
    let former = found.leaf.entries[found.index]
    guard former.content.itemCount == section.changes.count else { throw MisplacedOperation() }
    var result = try result(of: index)
    let (change, length) = try placing.restore(
      section.changes, &result.content, from: former.content, shapes, in: session)
    result.overdueKey = former.overdueKey
    try keep(result, at: index, change, contentLength: length, sectionPlan)
  }

  /// Returns the changes of a section after a range of its items is also replaced.
  func changed(
    _ present: ChangedSection?, _ range: Range<Int>, becoming newCount: Int,
    of section: SectionReference
  ) throws -> ChangedSection {
    var entry =
      try present
      ?? ChangedSection(
        key: section.key,
        changes: ItemHunks(count: result(of: section.index).content.itemCount))
    guard range.upperBound <= entry.changes.count else { throw MisplacedOperation() }
    entry.changes.replace(range, withCount: newCount)
    return entry
  }

  /// Records that items of a section have been placed again.
  mutating func recordReplaced(
    _ change: PlacementChange, _ key: String, itemCount: Int, at index: Int
  ) {
    var entry =
      replaced[index] ?? ChangedSection(key: key, changes: ItemHunks(count: itemCount))
    for range in change.replaced {
      entry.changes.replace(range, withCount: range.count)
    }
    replaced[index] = entry
  }
}

extension SectionChange {
  /// Returns values of sections by the sections' index after the change of sections.
  func carried<Value>(_ sections: [Int: Value]) -> [Int: Value] {
    if sections.isEmpty { return sections }
    var carried: [Int: Value] = [:]
    for (old, section) in sections {
      if let index = index(of: old) { carried[index] = section }
    }
    return carried
  }
}

/// A layout's results before its newest commit, from which an undo of that commit restores
/// columns.
///
/// The columns of items in a stable waterfall do not follow from the items, so applying the
/// inverse operations would choose new columns. Everything else follows from the items and need
/// not be up to date here.
struct PreviousResults: Sendable {
  var results: SumTree<SectionResultLeaf>
  /// The sections in which the commit placed items again, by their index after it. All other
  /// sections differ only by the commit's operations. The hunks' new ranges contain those items.
  var replaced: [Int: ChangedSection] = [:]
}

/// The changes of a section's items.
struct ChangedSection: Sendable {
  var key: String
  var changes: ItemHunks
}
