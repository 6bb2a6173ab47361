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
  /// The plan, with the measured lengths of the layout's header and footer.
  private(set) var plan: LayoutPlan
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
  /// Whether items have collapsed or come back, or collapsed ones were inserted or deleted.
  private var hasCollapsed = false
  /// The records of the commits so far.
  private(set) var undo: UndoStack
  /// The record of the present batch.
  var record = UndoRecord()
  /// The rest of the record of the commit that is being reverted; `nil` if none is.
  var restoring: UndoRecord?
  /// The present batch's changes of sections.
  var batchSections: [SectionChange] = []
  /// The sections that had no columns before the batch, by their present index.
  var restyled: Set<Int> = []
  /// The places of the present batch's edits, by their sections' present index.
  var edited: [Int: EditedPlace] = [:]
  /// The sections whose columns do not count as recomputed.
  var computed: Set<Int> = []
  let elementCountMax: Int
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

  init(
    _ results: SumTree<SectionResultLeaf>, undo: UndoStack, plan: LayoutPlan,
    _ view: ItemView, _ shapes: TreeShapes, elementCountMax: Int, in session: TreeSession
  ) {
    (self.results, self.undo, self.elementCountMax) = (results, undo, elementCountMax)
    (self.plan, self.view, self.shapes, self.session) = (plan, view, shapes, session)
    mainLengthBefore = plan.mainLength(of: results)
    createdNodesBefore = session.edits.createdNodes
  }

  /// Applies a batch, corrects uneven columns where it edited items, and carries out one
  /// instalment of a rebalance if any is overdue. Every process does this once for each batch of
  /// the log that concerns layouts, so that all have the same columns. An undo restores the
  /// previous columns instead, as far as the undo stack reaches.
  ///
  /// - Parameter revision: The dataset's revision after the batch.
  /// - Throws: `LimitError` if the content would become too long, ``Damage`` for a
  ///   position that the layout lacks. The editor is then unusable.
  /// - Precondition: The batch does not lay this layout out from scratch.
  mutating func apply(_ batch: LoggedBatch, at revision: Int) throws {
    if batch.isOfData && !plan.readsData { return }
    if batch.kind == .build { throw Damage.misplaced }
    record = UndoRecord()
    (batchSections, restyled, edited) = ([], [], [:])
    placingMax = shapes.rebalancing.batchMax
    let isRestored = try carryOut(batch, at: revision)
    if batch.isOfData { return }
    if !isRestored { try even(for: batch) }
    if !record.isEmpty { undo.push(record.encoded, of: revision) }
  }

  /// Applies the operations of a batch.
  ///
  /// - Returns: Whether they reverted commits and restored all columns.
  private mutating func carryOut(_ batch: LoggedBatch, at revision: Int) throws -> Bool {
    guard batch.isUndo, plan.hasHistory else {
      try carryOut(batch.operations[...])
      return false
    }
    var rest = batch.operations[...]
    for (offset, count) in batch.undone.enumerated() {
      let operations = rest.prefix(count)
      rest = rest.dropFirst(count)
      let bytes = undo.record(of: revision - 1 - offset, at: revision - 1)
      guard let bytes, try restore(operations, UndoRecord(bytes)) else {
        // Nor does it reach the commits before.
        try carryOut(operations)
        try carryOut(rest)
        return false
      }
    }
    return true
  }

  private mutating func carryOut(_ operations: ArraySlice<ResolvedOperation>) throws {
    for operation in operations { try apply(operation) }
    try changeItems()
  }

  /// Corrects uneven columns after the operations of a batch.
  private mutating func even(for batch: LoggedBatch) throws {
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
    if mainLength != mainLengthBefore { context.nameEnd(of: plan.frame) }
    let (plan, results, session) = (plan, results, session)
    if hasCollapsed || dataset.items.summary.collapsedCount > 0 { try number(dataset) }
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

  /// Names items by index instead of by place.
  private mutating func number(_ dataset: DatasetTrees) throws {
    try context.setItems { [session] section in
      let range = try dataset.items(ofSection: section.section, in: session)
      guard let places = try dataset.items.places(of: range, session) else {
        return section.items.intersection(RangeSet(0..<range.count))
      }
      return RangeSet(try section.items.ranges.map { try places.indices(of: $0) })
    }
  }

  mutating func apply(_ operation: ResolvedOperation) throws {
    if concerns(operation) { record.operations += 1 }
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
      guard section.index < results.count else { throw Damage.misplaced }
      context.invalidate(SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .invalidateElements(let kinds, let section?):
      guard section.index < results.count else { throw Damage.misplaced }
      var invalidation = SectionInvalidation(section: section.index)
      invalidation.name(kinds)
      context.invalidate(invalidation)
    case .invalidateElements(let kinds, nil): context.name(kinds)
    case .rebalance(let start, let section):
      try edit(.rebalance(from: start, placing: placingMax), of: section)
    case .continueRebalance: break
    case .measure(_, let lengths):
      let frame = plan.frame
      plan.frame.measure(lengths)
      context.name(frame, becoming: plan.frame)
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
      try replace(before, .delete(before.places))
      if let run = after.run {
        try replace(after, .insert(run.items.placed, at: after.places.lowerBound))
      }
    case .values:
      guard splice.layout ?? view.layout == view.layout else { return }
      // A collapsed item comes and goes as an inserted and deleted one does.
      if before.collapsedCount > 0 || after.collapsedCount > 0 {
        try changeItems()
        try nameRest(from: after)
        if !before.places.isEmpty { try edit(.delete(before.places), of: before.section) }
        guard let run = after.run, !after.places.isEmpty else { return }
        return try edit(
          .insert(run.items.placed, at: after.places.lowerBound), of: after.section)
      }
      if changes?.append(after) ?? false { return }
      try changeItems()
      changes = after
    case .data:
      guard plan.readsData, case let section = try sectionPlan(after.section), section.readsData
      else { return }
      guard section.kind.readsData else {
        return name(after.places, of: after.section, section)
      }
      pending[after.section.index] = try changed(
        pending[after.section.index], after.places, becoming: after.places.count, of: after.section)
    }
  }

  /// Applies the collected changes.
  mutating func changeItems() throws {
    guard let taken = changes.take(), let run = taken.run else { return }
    try edit(.change(run.items, at: taken.places.lowerBound), of: taken.section)
    let section = try sectionPlan(taken.section)
    if section.own != nil { name(taken.places, of: taken.section, section) }
  }

  /// Names items whose additional elements may have changed, although the items have not moved.
  private mutating func name(
    _ items: Range<Int>, of section: SectionReference, _ plan: SectionPlan
  ) {
    var invalidation = SectionInvalidation(section: section.index, items: RangeSet(items))
    invalidation.name(plan.own?.kinds ?? [])
    if !items.isEmpty { context.invalidate(invalidation) }
  }

  /// Carries out the insertion or deletion of items.
  private mutating func replace(_ items: ItemSplice.Side, _ edit: ItemEdit) throws {
    // An item that passes a collapsed one has another index at the same place.
    if items.count > 0, hasCollapsed || items.skipped > 0 || items.collapsedCount > 0 {
      try nameRest(from: items)
    }
    if !items.places.isEmpty { try self.edit(edit, of: items.section) }
  }

  /// Names the items from a place to the section's end: once collapsed items come or go, equal
  /// places do not mean equal indices, whatever else comes or goes before them.
  private mutating func nameRest(from items: ItemSplice.Side) throws {
    hasCollapsed = true
    let section = try sectionPlan(items.section)
    name(items.places.lowerBound..<Int.max, of: items.section, section)
  }

  mutating func edit(_ edit: ItemEdit, of section: SectionReference) throws {
    let sectionPlan = try sectionPlan(section)
    switch sectionPlan.kind.placing.following {
    case .atOnce(let placing):
      committedMax -= edit.newCount
      guard committedMax >= 0 else { throw ExceedsCommit() }
      var count = 0
      let change = try place(section, sectionPlan, by: placing) { [view, session] kept, record in
        count = kept.itemCount - edit.range.count + edit.newCount
        let change = try placing.apply(edit, &kept, restoring: &record, view, in: session)
        assert(kept.itemCount == count, "the section has other items than the edit leaves")
        return change
      }
      if case .rebalance = edit { placingMax -= change.recomputedItems }
      if let end = change.editedEnd {
        recordEdited(section, rest: count - end)
      }
    case .afterwards:
      if case .rebalance = edit { return }
      pending[section.index] = try changed(
        pending[section.index], edit.range, becoming: edit.newCount, of: section)
    }
  }

  /// Edits a section that follows at once, keeps the result, and records what it replaces.
  @discardableResult
  private mutating func place(
    _ section: SectionReference, _ plan: SectionPlan, by placing: WaterfallPlan,
    _ body: (inout StoredWaterfall, inout UndoRecord?) throws -> PlacementChange
  ) throws -> PlacementChange {
    var result = try result(of: section.index)
    let (change, length) = try placing.edit(&result.content, shapes) { try body(&$0, &restoring) }
    // Most commits have nothing to correct.
    guard change.hasNewContent || !change.items.isEmpty || change.formerState != nil
    else { return change }
    result.overdueKey = try placing.isOverdue(result.content) ? section.key : nil
    try keep(result, at: section.index, change, contentLength: length, plan)
    note(change, of: section)
    return change
  }

  /// Continues the rebalance of the first overdue section.
  ///
  /// - Returns: The number of items placed again; `nil` if no section is overdue.
  /// - Complexity: O(log sections) nodes to find it.
  private mutating func continueFirst(placing itemCountMax: Int) throws -> Int? {
    let place = try results.firstPlace(
      from: OverdueSections(), where: { $0.count > 0 }, in: session)
    guard let place else { return nil }
    let result = place.leaf.entries[place.index]
    guard let key = result.overdueKey,
      case let sectionPlan = plan.section(key, style: result.style),
      case .atOnce(let placing) = sectionPlan.kind.placing.following
    else { throw Damage(detail: "a section that never rebalances is overdue") }
    let section = SectionReference(index: place.offset, key: key)
    let change = try self.place(section, sectionPlan, by: placing) { [session] kept, _ in
      try placing.continueRebalance(&kept, placing: itemCountMax, in: session)
    }
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
    var items = try SectionItems(
      dataset, in: try dataset.items(ofSection: index, in: session), for: sectionPlan, view,
      shapes, in: session)
    items.placingMax = committedMax
    guard items.count == section.changes.count else { throw Damage.misplaced }
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
      throw Damage(detail: "the content of section \(index) has a negative length")
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
    let contentStart = plan.boundary.topLength + plan.inset.top
    invalidation.interval = change.interval.map {
      (contentStart + Length(units: $0.lowerBound))..<(contentStart + Length(units: $0.upperBound))
    }
    if result.length != lengthBefore {
      invalidation.supplementaryElements = plan.boundary.kinds(at: .bottom)
      if let background = plan.background { invalidation.decorationElements = [background.kind] }
    }
    invalidation.name(plan.own?.kinds ?? [])
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
      let (plan, placing) = try placed(section)
      try self.place(section, plan, by: placing) { [shapes, session] kept, _ in
        let (index, limit) = (kept.itemCount - place.rest, shapes.rebalancing.instalment)
        return try placing.correct(&kept, at: index, placing: limit, in: session)
      }
    }
  }
}

// Undo: recording what a batch replaces, and restoring it.

extension LayoutEditor {
  /// Whether an operation counts in the records of the layout.
  private func concerns(_ operation: ResolvedOperation) -> Bool {
    switch operation {
    case .items(let splice):
      splice.aspect != .data && splice.layout ?? view.layout == view.layout
    case .sections(let splice):
      splice.before == nil || splice.after == nil || splice.isMove || splice.isRestyle
        || splice.before?.entry.measured(in: view.layout)
          != splice.after?.entry.measured(in: view.layout)
    case .note: false
    }
  }

  /// Records what a change of a section has replaced.
  private mutating func note(_ change: PlacementChange, of section: SectionReference) {
    record.columns += change.formerColumns
    for placement in change.formerPlacements {
      record.placements.append(
        (record.operations, section, placement.start, placement.columns))
    }
    if let state = change.formerState { note(state, of: section) }
  }

  /// Records the state of a section's rebalances, unless an earlier one is recorded.
  private mutating func note(_ state: RebalanceState, of section: SectionReference) {
    let origin = batchSections.reversed().reduce(section.index as Int?) { index, change in
      index.flatMap(change.formerIndex)
    }
    guard let origin, !restyled.contains(section.index) else { return }
    let former = SectionReference(index: origin, key: section.key)
    if record.states[former] == nil { record.states[former] = state }
  }

  /// Records the columns of a section whose content is about to be dropped.
  mutating func noteDropped(
    _ content: SectionContent, of section: SectionReference, by plan: SectionPlan
  ) throws {
    guard case .atOnce(let placing) = plan.kind.placing.following else {
      restyled.insert(section.index)
      return
    }
    let kept = try placing.kept(of: content, shapes)
    note(kept.state, of: section)
    record.columns += try kept.tree.firstColumns(of: 0..<kept.itemCount, in: session)
  }

  /// Reverts a commit by operations that revert its, and its record.
  ///
  /// - Returns: `false` without an effect if the record does not fit the operations, which were
  ///   reduced because of a layout's new container.
  private mutating func restore(
    _ operations: ArraySlice<ResolvedOperation>, _ record: UndoRecord
  ) throws -> Bool {
    var position = operations.reduce(0) { concerns($1) ? $0 + 1 : $0 }
    guard record.isEmpty || record.operations == position else { return false }
    restoring = record
    defer { restoring = nil }
    for operation in operations {
      let isCounted = concerns(operation)
      if isCounted { try takeBackPlacements(after: position) }
      try apply(operation)
      try changeItems()
      if isCounted { position -= 1 }
    }
    try takeBackPlacements(after: 0)
    guard restoring?.columns.isEmpty ?? false, restoring?.placements.isEmpty ?? false else {
      throw UndoRecord.doesNotFit
    }
    for (section, state) in record.states.sorted(by: { $0.key.index < $1.key.index }) {
      let (_, placing) = try placed(section)
      var result = try result(of: section.index)
      let change = try placing.edit(&result.content, shapes) { try placing.restore(state, &$0) }
      note(change.change, of: section)
      result.overdueKey = try placing.isOverdue(result.content) ? section.key : nil
      try put(result, at: section.index)
    }
    return true
  }

  private mutating func takeBackPlacements(after operations: Int) throws {
    while let placement = restoring?.placements.last, placement.operations == operations {
      restoring?.placements.removeLast()
      let (plan, placing) = try placed(placement.section)
      let range = placement.start..<(placement.start + placement.columns.count)
      try place(placement.section, plan, by: placing) { [session] kept, _ in
        try placing.move(range, to: placement.columns, &kept, in: session)
      }
    }
  }

  /// Returns the plan of a section that follows at once.
  private func placed(
    _ section: SectionReference
  ) throws -> (plan: SectionPlan, placing: WaterfallPlan) {
    let plan = try sectionPlan(section)
    guard case .atOnce(let placing) = plan.kind.placing.following else {
      throw UndoRecord.doesNotFit
    }
    return (plan, placing)
  }

  /// Returns the changes of a section after a range of its items is also replaced.
  func changed(
    _ present: ChangedSection?, _ range: Range<Int>, becoming newCount: Int,
    of section: SectionReference
  ) throws -> ChangedSection {
    var entry =
      try present
      ?? ChangedSection(
        key: section.key, changes: ItemHunks(count: result(of: section.index).content.itemCount))
    guard range.upperBound <= entry.changes.count else { throw Damage.misplaced }
    entry.changes.replace(range, withCount: newCount)
    return entry
  }
}

extension SectionChange {
  /// Returns the index of a section before the change; `nil` if it was inserted.
  fileprivate func formerIndex(of section: Int) -> Int? {
    switch self {
    case .insert(let index): SectionChange.delete(index).index(of: section)
    case .delete(let index): SectionChange.insert(index).index(of: section)
    case .move(let from, let to): SectionChange.move(from: to, to: from).index(of: section)
    }
  }

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

/// The changes of a section's items.
struct ChangedSection: Sendable {
  var key: String
  var changes: ItemHunks
}
