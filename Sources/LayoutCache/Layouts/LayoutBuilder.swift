import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Lays a dataset out from scratch, writing each node once, in constant memory.
struct LayoutBuilder {
  private let plan: LayoutPlan
  private let reader: TreeReader
  private let sink: NodeWriter

  init(plan: LayoutPlan, reader: TreeReader, sink: NodeWriter) {
    self.plan = plan
    self.reader = reader
    self.sink = sink
  }

  /// Lays out every section.
  ///
  /// - Throws: `LimitError` where the content would become too long.
  /// - Complexity: O(items · columns).
  func layOut(_ dataset: DatasetTrees) throws -> SumTree<SectionResultLeaf> {
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
          let span = waterfall.columnSpan(run.columnSpan(at: index))
          let length = waterfall.length(
            of: plan.space.oriented(run.size(at: index)), columnSpan: span)
          let column = try placement.place(length: length, columnSpan: span)
          placed.append(
            column: column, columnSpan: span, advance: length + waterfall.lineSpacing)
        }
        try builder.append(placed)
      }
      return SectionResult(
        length: section.fixedLength + placement.contentLength, waterfall: try builder.finish())
    }
  }
}
