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
          in: firstItem..<(firstItem + entry.itemCount))
        firstItem += entry.itemCount
        work.recomputedItems += entry.itemCount
        work.recomputedColumns += result.waterfall.summary.map.width
        end += result.length + plan.sectionSpacing
        if end - plan.sectionSpacing > Limits.contentLengthMax {
          throw LimitError(
            .tooLarge, "content length", limit: Limits.contentLengthMax.points,
            value: (end - plan.sectionSpacing).points)
        }
        run.entries.append(result)
      }
      try results.append(run)
    }
    return try results.finish()
  }

  private func layOut(
    _ section: SectionPlan, items: SumTree<ItemLeaf>, in range: Range<Int>
  ) throws -> SectionResult {
    switch section.kind {
    case .waterfall(let waterfall):
      var placement = WaterfallPlacement(plan: waterfall)
      var builder = TreeBuilder<WaterfallLeaf>(shape: TreeShapes.waterfall, sink: sink)
      try items.forEachRun(in: range, reader: reader) { run in
        var placed = WaterfallLeaf()
        for index in 0..<run.count {
          let item = waterfall.measure(index, of: run, layout: layout, in: plan.space)
          let column = try placement.place(length: item.length, columnSpan: item.columnSpan)
          placed.append(
            column: column, columnSpan: item.columnSpan,
            advance: item.length + waterfall.lineSpacing)
        }
        try builder.append(placed)
      }
      let tree = try builder.finish()
      return SectionResult(
        length: section.fixedLength + placement.contentLength, waterfall: tree,
        settledSkew: tree.summary.settledSkew(of: waterfall))
    }
  }
}
