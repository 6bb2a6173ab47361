import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Lays a dataset out from scratch, writing each node once, in constant memory.
struct LayoutBuilder {
  private let plan: LayoutPlan
  private let layout: Int64
  private let reader: TreeReader
  private let sink: NodeWriter

  /// - Parameter layout: The layout's id.
  init(plan: LayoutPlan, layout: Int64, reader: TreeReader, sink: NodeWriter) {
    self.plan = plan
    self.layout = layout
    self.reader = reader
    self.sink = sink
  }

  /// Lays out every section.
  ///
  /// - Parameter work: Receives the items and columns that were placed.
  /// - Throws: `LimitError` where the content would become too long.
  /// - Complexity: O(items · columns).
  func layOut(
    _ dataset: DatasetTrees, work: inout LayoutWork
  ) throws -> SumTree<SectionResultLeaf> {
    var results = TreeBuilder<SectionResultLeaf>(shape: TreeShapes.sectionResults, sink: sink)
    var firstItem = 0
    var end = Length.zero
    try dataset.sections.forEachLeaf(reader: reader) { leaf, _ in
      var run = SectionResultLeaf()
      for entry in leaf.entries {
        let result = try layOut(
          plan.section(entry.key), items: dataset.items,
          in: firstItem..<(firstItem + entry.itemCount), work: &work)
        firstItem += entry.itemCount
        end += result.length + plan.sectionSpacing
        try Limits.checkContent(end - plan.sectionSpacing)
        run.entries.append(result)
      }
      try results.append(run)
    }
    return try results.finish()
  }

  private func layOut(
    _ section: SectionPlan, items: SumTree<ItemLeaf>, in range: Range<Int>,
    work: inout LayoutWork
  ) throws -> SectionResult {
    let content: SectionContent
    let length: Length
    switch section.kind {
    case .waterfall(let plan):
      let tree = try layOut(plan, items: items, in: range)
      work.recomputedColumns += tree.summary.map.width
      content = .waterfall(tree, settledSkew: tree.summary.settledSkew(of: plan))
      length = tree.summary.contentLength(of: plan)
    case .lines(let plan):
      let tree = try layOut(plan, items: items, in: range)
      content = .lines(tree)
      length = tree.summary.contentLength(spacing: plan.lineSpacing)
    case .custom(let plan):
      let tree = try layOut(plan, items: items, in: range)
      content = .custom(tree)
      length = tree.summary.contentLength
    case .computed(let plan):
      return SectionResult(
        length: section.fixedLength + (try plan.contentLength(ofCount: range.count)),
        content: .computed(count: range.count))
    }
    work.recomputedItems += range.count
    return SectionResult(length: section.fixedLength + length, content: content)
  }

  private func layOut(
    _ waterfall: WaterfallPlan, items: SumTree<ItemLeaf>, in range: Range<Int>
  ) throws -> SumTree<WaterfallLeaf> {
    var placement = WaterfallPlacement(plan: waterfall)
    var builder = TreeBuilder<WaterfallLeaf>(shape: TreeShapes.waterfall, sink: sink)
    try items.forEachRun(in: range, reader: reader) { run in
      var placed = WaterfallLeaf()
      for index in 0..<run.count {
        let item = waterfall.measure(
          run.layoutItem(at: index, layout: layout, space: plan.space))
        let column = try placement.place(length: item.length, columnSpan: item.columnSpan)
        placed.append(
          column: column, columnSpan: item.columnSpan,
          advance: item.length + waterfall.lineSpacing)
      }
      try builder.append(placed)
    }
    return try builder.finish()
  }

  private func layOut(
    _ lines: LinePlan, items: SumTree<ItemLeaf>, in range: Range<Int>
  ) throws -> SumTree<LineLeaf> {
    var breaker = LineBreaker(plan: lines)
    var builder = TreeBuilder<LineLeaf>(shape: TreeShapes.lines, sink: sink)
    var end = Int64(0)
    func limitedRun(_ run: LineLeaf) throws -> LineLeaf {
      end += run.summary.advance
      try Limits.checkContent(Length(units: end) - lines.lineSpacing)
      return run
    }
    try items.forEachRun(in: range, reader: reader) { run in
      var broken = LineLeaf()
      for index in 0..<run.count {
        let item = run.layoutItem(at: index, layout: layout, space: plan.space)
        try breaker.take(
          lines.size(of: item)
        ) { broken.append($0, spacing: lines.lineSpacing) }
      }
      if broken.count > 0 { try builder.append(limitedRun(broken)) }
    }
    if let last = try breaker.last() {
      var broken = LineLeaf()
      broken.append(last, spacing: lines.lineSpacing)
      try builder.append(limitedRun(broken))
    }
    return try builder.finish()
  }

  private func layOut(
    _ custom: CustomPlan, items: SumTree<ItemLeaf>, in range: Range<Int>
  ) throws -> SumTree<CustomLeaf> {
    var builder = TreeBuilder<CustomLeaf>(shape: TreeShapes.custom, sink: sink)
    var state: [Int64] = []
    var end = CustomSummary.identity
    try items.forEachRun(in: range, reader: reader) { run in
      var placed = CustomLeaf()
      for index in 0..<run.count {
        let item = run.layoutItem(at: index, layout: layout, space: plan.space)
        placed.append(try custom.place(item, state: &state), state: state)
      }
      end.append(placed.summary)
      try end.check(custom)
      try builder.append(placed)
    }
    return try builder.finish()
  }
}
