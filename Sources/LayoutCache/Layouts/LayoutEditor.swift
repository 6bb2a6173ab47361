import CollectionLayout
import LayoutGeometry
import SumTree

/// What edits did to the nodes of a layout's trees since they were last stored.
struct LayoutEdits: Sendable {
  var sections = TreeEdits()
  /// Of all sections' own trees.
  var items = TreeEdits()

  var createdNodes: Int { sections.createdNodes + items.createdNodes }
}

/// Carries a batch out on a layout's result, and says what that did.
struct LayoutEditor {
  private(set) var results: SumTree<SectionResultLeaf>
  private(set) var edits: LayoutEdits
  private(set) var context = InvalidationContext()
  private let plan: LayoutPlan
  private let layout: Int64
  private let reader: TreeReader
  /// The sections whose columns the batch may have made uneven, by their present
  /// index.
  private var touched: [Int: SectionReference] = [:]
  private let mainLengthBefore: Length
  private let createdNodesBefore: Int

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

  /// Carries out a batch, and then what the layout itself does about it.
  ///
  /// - Throws: `LimitError` where the content would become too long,
  ///   ``MisplacedOperation`` for a place that the layout lacks; the value is then of
  ///   no more use.
  /// - Precondition: The batch does not lay this layout out from scratch.
  mutating func apply(_ batch: LoggedBatch) throws {
    for operation in batch.operations { try apply(operation) }
    for (_, section) in touched.sorted(by: { $0.key < $1.key }) {
      try edit(section, in: 0..<0, isSkewChecked: true) { _, _ in }
    }
    let mainLength = plan.mainLength(of: results)
    if mainLength > Limits.contentLengthMax {
      throw LimitError(
        .tooLarge, "content length", limit: Limits.contentLengthMax.points,
        value: mainLength.points)
    }
    context.contentSizeAdjustment = plan.space.oriented(
      Size(width: .zero, height: mainLength - mainLengthBefore))
    try context.setStarts { try plan.start(ofSection: $0, in: results, reader: reader) }
    context.work.changedNodes = edits.createdNodes - createdNodesBefore
    context.work.recomputedColumns = context.sections.reduce(0) { sum, section in
      section.columns.ranges.reduce(sum) { $0 + $1.count }
    }
  }

  private mutating func apply(_ operation: ResolvedOperation) throws {
    let (layout, space) = (layout, plan.space)
    switch operation {
    case .insertItems(let run, let index, let section):
      context.invalidateDataSourceCounts = true
      try edit(section, in: index..<index) { editor, plan in
        let items = (0..<run.count).map { plan.measure($0, of: run, layout: layout, in: space) }
        try editor.insert(items, at: index)
      }
    case .deleteItems(let range, let section):
      context.invalidateDataSourceCounts = true
      try edit(section, in: range) { editor, _ in try editor.delete(range) }
    case .changeItem(let run, let index, let section, let concerned):
      if let concerned, concerned != layout { return }
      try edit(section, in: index..<(index + 1)) { editor, plan in
        try editor.change(
          at: index, to: plan.measure(0, of: run, layout: layout, in: space))
      }
    case .invalidateItems(let range, let section, let concerned):
      guard concerned == layout else { return }
      context.invalidate(
        SectionInvalidation(section: section.index, items: RangeSet(range)))
    case .rebalance(let item, let section, let concerned):
      guard concerned == layout else { return }
      try edit(section, in: item..<item, settles: true) { editor, _ in
        try editor.rebalance(from: item)
      }
    case .insertSection(let section):
      try insert(
        SectionResult(
          length: plan.section(section.key).fixedLength,
          waterfall: SumTree(shape: TreeShapes.waterfall)), at: section.index)
      append(.insert(section.index))
    case .deleteSection(let section, _):
      edits.items.drop(try remove(section.index).waterfall)
      append(.delete(section.index))
    case .moveSection(let section, let target):
      try insert(try remove(section.index), at: target)
      append(.move(from: section.index, to: target))
    case .everything:
      preconditionFailure("what lays a layout out from scratch is no edit")
    }
  }

  // MARK: - Items

  /// Edits a section's items.
  ///
  /// - Parameters:
  ///   - range: The items that are concerned, within the section's.
  ///   - settles: Whether the edit is a placement, which leaves what it can't even out.
  ///   - isSkewChecked: Whether the columns are evened out afterwards.
  private mutating func edit(
    _ section: SectionReference, in range: Range<Int>, settles: Bool = false,
    isSkewChecked: Bool = false, _ body: (inout WaterfallEditor, WaterfallPlan) throws -> Void
  ) throws {
    guard section.index < results.count else { throw MisplacedOperation() }
    let sectionPlan = plan.section(section.key)
    let (leaf, first) = try results.leaf(containing: section.index, reader: reader)
    let number = section.index - first
    var entry = leaf.entries[number]
    guard case .waterfall(let waterfall) = sectionPlan.kind else { return }
    guard range.upperBound <= entry.waterfall.count,
      entry.waterfall.summary.map.width <= waterfall.tracks.count
    else {
      throw MisplacedOperation()
    }
    var editor = WaterfallEditor(
      entry.waterfall, plan: waterfall, edits: edits.items, reader: reader)
    try body(&editor, waterfall)
    if settles { entry.settledSkew = editor.tree.summary.settledSkew(of: waterfall) }
    if isSkewChecked {
      let settled = entry.settledSkew
      try editor.rebalanceIfSkewed(settledSkew: &entry.settledSkew)
      if entry.settledSkew == settled && editor.change.items.isEmpty { return }
    } else {
      touched[section.index] = section
    }
    if editor.tree.isEmpty { entry.settledSkew = 0 }
    let lengthBefore = entry.length
    if editor.isEdited || settles || isSkewChecked {
      entry.waterfall = editor.tree
      entry.length = sectionPlan.fixedLength + editor.tree.summary.contentLength(of: waterfall)
      edits.items = editor.edits
      let edited = entry
      try results.updateLeaf(
        containing: section.index, reader: reader, edits: &edits.sections
      ) { leaf, _ in
        leaf.entries[number] = edited
      }
    }
    note(
      editor.change, section: section.index, plan: sectionPlan,
      isResized: entry.length != lengthBefore)
  }

  private mutating func note(
    _ change: WaterfallChange, section: Int, plan: SectionPlan, isResized: Bool
  ) {
    context.work.recomputedItems += change.recomputedItems
    var invalidation = SectionInvalidation(
      section: section, items: change.items, columns: change.columns)
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

  private mutating func insert(_ result: SectionResult, at index: Int) throws {
    guard index <= results.count else { throw MisplacedOperation() }
    try results.replaceSubrange(
      index..<index, with: SectionResultLeaf(entries: [result]), reader: reader,
      edits: &edits.sections)
  }

  private mutating func remove(_ index: Int) throws -> SectionResult {
    guard index < results.count else { throw MisplacedOperation() }
    let (leaf, start) = try results.leaf(containing: index, reader: reader)
    try results.replaceSubrange(
      index..<(index + 1), with: nil, reader: reader, edits: &edits.sections)
    return leaf.entries[index - start]
  }

  /// Notes how the sections changed, in the context and for what is still to come.
  private mutating func append(_ change: SectionChange) {
    context.append(change)
    var carried: [Int: SectionReference] = [:]
    for var section in touched.values {
      guard let index = change.index(of: section.index) else { continue }
      section.index = index
      carried[index] = section
    }
    touched = carried
  }
}

extension WaterfallPlan {
  /// An item of a run as it is placed: with its measured length, where it has one.
  func measure(
    _ index: Int, of run: ItemLeaf, layout: Int64, in space: LayoutSpace
  ) -> MeasuredItem {
    let span = columnSpan(run.columnSpan(at: index))
    if !run.preferredLengths.isEmpty,
      let length = run.preferredLength(at: index, layout: layout)
    {
      return MeasuredItem(length: length, columnSpan: span)
    }
    return MeasuredItem(
      length: length(of: space.oriented(run.size(at: index)), columnSpan: span),
      columnSpan: span)
  }
}
