import CollectionLayout
import LayoutGeometry
import SumTree

/// Carries batches out on a layout's result, and says what that did.
///
/// A waterfall's items choose their columns one by one, so its operations are carried
/// out as they come. All other kinds follow from the items as they are in the end: for
/// those the editor keeps account of which have changed, and ``finish(_:)`` places
/// them once.
struct LayoutEditor {
  private(set) var results: SumTree<SectionResultLeaf>
  private(set) var edits: LayoutEdits
  private(set) var context = InvalidationContext()
  private let plan: LayoutPlan
  private let layout: Int64
  private let reader: TreeReader
  /// The keys of the sections whose columns the batch may have made uneven, by their
  /// present index.
  private var touched: [Int: String] = [:]
  /// What has changed in sections that are still to be placed, by their present index.
  private var pending: [Int: PendingSection] = [:]
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

  private struct PendingSection {
    var key: String
    var changes: ItemHunks
  }

  /// - Parameter layout: The layout's id.
  init(
    _ results: SumTree<SectionResultLeaf>, plan: LayoutPlan, layout: Int64, edits: LayoutEdits,
    reader: TreeReader
  ) {
    self.results = results
    self.plan = plan
    self.layout = layout
    self.edits = edits
    self.reader = reader
    mainLengthBefore = plan.mainLength(of: results)
    createdNodesBefore = edits.createdNodes
  }

  /// Carries out a batch.
  ///
  /// - Throws: `LimitError` where the content would become too long,
  ///   ``MisplacedOperation`` for a place that the layout lacks; the value is then of
  ///   no more use.
  /// - Precondition: The batch does not lay this layout out from scratch.
  mutating func apply(_ batch: LoggedBatch) throws {
    for operation in batch.operations { try apply(operation) }
    for (index, key) in touched.sorted(by: { $0.key < $1.key }) {
      try evenOut(SectionReference(index: index, key: key))
    }
    touched = [:]
  }

  /// Places what the batches have changed, after the last of them.
  ///
  /// - Parameter dataset: The dataset's trees after the batches.
  /// - Returns: What all that did.
  /// - Throws: As ``apply(_:)``.
  mutating func finish(_ dataset: DatasetTrees) throws -> InvalidationContext {
    // Columns that are computed from the index when they are asked for are no work.
    var computed: Set<Int> = []
    for (index, section) in pending.sorted(by: { $0.key < $1.key }) {
      try place(section, at: index, dataset)
      if case .computed = plan.section(section.key).kind { computed.insert(index) }
    }
    pending = [:]
    let mainLength = plan.mainLength(of: results)
    try Limits.checkContent(mainLength)
    context.contentSizeAdjustment = plan.space.oriented(
      Size(width: .zero, height: mainLength - mainLengthBefore))
    let (plan, results, reader) = (plan, results, reader)
    try context.setStarts { try plan.start(ofSection: $0, in: results, reader: reader) }
    context.work.changedNodes = edits.createdNodes - createdNodesBefore
    context.work.recomputedColumns = context.sections.reduce(0) { sum, section in
      computed.contains(section.section)
        ? sum : section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
    return context
  }

  private mutating func apply(_ operation: ResolvedOperation) throws {
    let (layout, space) = (layout, plan.space)
    switch operation {
    case .insertItems(let run, let index, let section):
      context.invalidateDataSourceCounts = true
      try edit(section, index..<index, newCount: run.count) { editor, plan in
        let items = (0..<run.count).map {
          plan.measure(run.layoutItem(at: $0, layout: layout, space: space))
        }
        try editor.insert(items, at: index)
      }
    case .deleteItems(let range, let section):
      context.invalidateDataSourceCounts = true
      try edit(section, range, newCount: 0) { editor, _ in try editor.delete(range) }
    case .changeItem(let run, let index, let section, let concerned):
      if let concerned, concerned != layout { return }
      try edit(section, index..<(index + 1), newCount: 1) { editor, plan in
        try editor.change(
          at: index, to: plan.measure(run.layoutItem(at: 0, layout: layout, space: space)))
      }
    case .invalidateItems(let range, let section, let concerned):
      guard concerned == layout else { return }
      context.invalidate(
        SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .rebalance(let item, let section, let concerned):
      guard concerned == layout else { return }
      try rebalance(section, from: item)
    case .insertSection(let section):
      try insert(
        SectionResult(length: plan.section(section.key).fixedLength, content: .empty),
        at: section.index)
      append(.insert(section.index))
    case .deleteSection(let section, _):
      edits.drop(try remove(section.index).content)
      append(.delete(section.index))
    case .moveSection(let section, let target):
      try insert(try remove(section.index), at: target)
      append(.move(from: section.index, to: target))
    case .everything:
      preconditionFailure("what lays a layout out from scratch is no edit")
    }
  }

  // MARK: - Items

  /// Edits a section's items: those of a range give way to as many new ones.
  ///
  /// - Parameter body: Carries the edit out where the section is a waterfall.
  private mutating func edit(
    _ section: SectionReference, _ range: Range<Int>, newCount: Int,
    _ body: (inout WaterfallEditor, WaterfallPlan) throws -> Void
  ) throws {
    let sectionPlan = plan.section(section.key)
    if case .waterfall(let waterfall) = sectionPlan.kind {
      touched[section.index] = section.key
      return try edit(section.index, waterfall, sectionPlan) { editor, _ in
        guard range.upperBound <= editor.tree.count else { throw MisplacedOperation() }
        try body(&editor, waterfall)
        return editor.isEdited
      }
    }
    var entry =
      try pending[section.index]
      ?? PendingSection(
        key: section.key,
        changes: ItemHunks(count: result(of: section.index).content.itemCount))
    guard range.upperBound <= entry.changes.count else { throw MisplacedOperation() }
    entry.changes.replace(range, withCount: newCount)
    pending[section.index] = entry
  }

  private mutating func rebalance(_ section: SectionReference, from item: Int) throws {
    let sectionPlan = plan.section(section.key)
    guard case .waterfall(let waterfall) = sectionPlan.kind else { return }
    touched[section.index] = section.key
    try edit(section.index, waterfall, sectionPlan) { editor, settledSkew in
      try editor.rebalance(from: item)
      // A placement leaves what it can't even out.
      settledSkew = editor.tree.summary.settledSkew(of: waterfall)
      return true
    }
  }

  /// Evens out a section whose columns differ by more than they may.
  private mutating func evenOut(_ section: SectionReference) throws {
    let sectionPlan = plan.section(section.key)
    guard case .waterfall(let waterfall) = sectionPlan.kind,
      case .waterfall(let tree, let settledSkew) = try result(of: section.index).content,
      tree.summary.isSkewed(in: waterfall, settledSkew: settledSkew)
    else { return }
    try edit(section.index, waterfall, sectionPlan) { editor, settledSkew in
      settledSkew = try editor.evenOut()
      return true
    }
  }

  /// Edits a waterfall section.
  ///
  /// - Parameter body: Returns whether there is anything to keep.
  private mutating func edit(
    _ index: Int, _ waterfall: WaterfallPlan, _ sectionPlan: SectionPlan,
    _ body: (inout WaterfallEditor, inout Int64) throws -> Bool
  ) throws {
    var entry = try result(of: index)
    var settledSkew: Int64 = 0
    if case .waterfall(_, let skew) = entry.content { settledSkew = skew }
    guard let tree = entry.content.waterfall, tree.summary.map.width <= waterfall.tracks.count
    else { throw MisplacedOperation() }
    var editor = WaterfallEditor(
      tree, plan: waterfall, edits: edits.waterfalls, reader: reader)
    let isKept = try body(&editor, &settledSkew)
    let lengthBefore = entry.length
    if isKept {
      edits.waterfalls = editor.edits
      entry.content =
        editor.tree.isEmpty
        ? .empty : .waterfall(editor.tree, settledSkew: settledSkew)
      entry.length = sectionPlan.fixedLength + editor.tree.summary.contentLength(of: waterfall)
      try put(entry, at: index)
    }
    if isKept || !editor.change.items.isEmpty {
      note(
        editor.change, section: index, plan: sectionPlan, isResized: entry.length != lengthBefore)
    }
  }

  /// Places what has changed in a section of another kind.
  private mutating func place(
    _ section: PendingSection, at index: Int, _ dataset: DatasetTrees
  ) throws {
    let sectionPlan = plan.section(section.key)
    var entry = try result(of: index)
    let lengthBefore = entry.length
    let change: PlacementChange
    /// Whether anything that is kept of the section has changed.
    let isKept: Bool
    switch sectionPlan.kind {
    case .waterfall:
      preconditionFailure("a waterfall is edited at once")
    case .lines(let lines):
      guard let tree = entry.content.lines else { throw MisplacedOperation() }
      var reflow = try LineReflow(
        tree, plan: lines, items: items(of: index, dataset), edits: edits.lines,
        reader: reader)
      try reflow.run(section.changes)
      isKept = reflow.isEdited
      entry.content = reflow.tree.isEmpty ? .empty : .lines(reflow.tree)
      entry.length =
        sectionPlan.fixedLength
        + reflow.tree.summary.contentLength(spacing: lines.lineSpacing)
      edits.lines = reflow.edits
      change = reflow.change
    case .custom(let custom):
      guard let tree = entry.content.custom else { throw MisplacedOperation() }
      var reflow = try CustomReflow(
        tree, plan: custom, items: items(of: index, dataset), edits: edits.custom,
        reader: reader)
      try reflow.run(section.changes)
      isKept = true
      entry.content = reflow.tree.isEmpty ? .empty : .custom(reflow.tree)
      entry.length = sectionPlan.fixedLength + reflow.tree.summary.contentLength
      edits.custom = reflow.edits
      change = reflow.change
    case .computed(let computed):
      guard case .computed(let oldCount) = entry.content else { throw MisplacedOperation() }
      entry.content = .computed(count: section.changes.count)
      entry.length =
        sectionPlan.fixedLength
        + (try computed.contentLength(ofCount: section.changes.count))
      change = computed.change(
        section.changes, oldCount: oldCount,
        lengthMax: max(entry.length, lengthBefore) - sectionPlan.fixedLength)
      isKept = section.changes.count != oldCount
    }
    if isKept { try put(entry, at: index) }
    note(change, section: index, plan: sectionPlan, isResized: entry.length != lengthBefore)
  }

  private func items(of section: Int, _ dataset: DatasetTrees) throws -> SectionItems {
    SectionItems(
      dataset.items, from: try dataset.firstItem(ofSection: section, reader: reader),
      layout: layout, space: plan.space, reader: reader)
  }

  private mutating func note(
    _ change: PlacementChange, section: Int, plan: SectionPlan, isResized: Bool
  ) {
    context.work.recomputedItems += change.recomputedItems
    var invalidation = SectionInvalidation(
      section: section, items: change.items, columns: change.columns.ranges)
    let contentStart = plan.header + plan.inset.top
    invalidation.interval = change.interval.map {
      (contentStart + Length(units: $0.lowerBound))..<(contentStart + Length(units: $0.upperBound))
    }
    if isResized {
      if plan.footer > .zero { invalidation.supplementaryElements = [.footer] }
      if let background = plan.background { invalidation.decorationElements = [background.kind] }
    }
    context.invalidate(invalidation)
  }

  // MARK: - Sections

  private func result(of section: Int) throws -> SectionResult {
    guard section < results.count else { throw MisplacedOperation() }
    let (leaf, first) = try results.leaf(containing: section, reader: reader)
    return leaf.entries[section - first]
  }

  private mutating func put(_ result: SectionResult, at section: Int) throws {
    try results.updateLeaf(containing: section, reader: reader, edits: &edits.sections) {
      leaf, first in
      leaf.entries[section - first] = result
    }
  }

  private mutating func insert(_ result: SectionResult, at index: Int) throws {
    guard index <= results.count else { throw MisplacedOperation() }
    try results.replaceSubrange(
      index..<index, with: SectionResultLeaf(entries: [result]), reader: reader,
      edits: &edits.sections)
  }

  private mutating func remove(_ index: Int) throws -> SectionResult {
    let result = try result(of: index)
    try results.replaceSubrange(
      index..<(index + 1), with: nil, reader: reader, edits: &edits.sections)
    return result
  }

  /// Notes how the sections changed, in the context and for what is still to come.
  private mutating func append(_ change: SectionChange) {
    context.append(change)
    touched = Self.carried(touched, over: change)
    pending = Self.carried(pending, over: change)
  }

  private static func carried<Value>(
    _ sections: [Int: Value], over change: SectionChange
  ) -> [Int: Value] {
    var carried: [Int: Value] = [:]
    for (old, section) in sections {
      if let index = change.index(of: old) { carried[index] = section }
    }
    return carried
  }
}
