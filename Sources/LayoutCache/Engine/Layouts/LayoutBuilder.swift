import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// Lays a dataset out from scratch, writing each node once, in constant memory.
struct LayoutBuilder {
  let plan: LayoutPlan
  let view: ItemView
  let shapes: TreeShapes
  let session: TreeSession
  let sink: any NodeSink

  /// Lays out every section.
  ///
  /// - Parameter work: Receives the items and columns that were placed.
  /// - Throws: `LimitError` where the content would become too long.
  /// - Complexity: O(items · columns).
  func layOut(
    _ dataset: DatasetTrees, work: inout LayoutWork
  ) throws -> SumTree<SectionResultLeaf> {
    var results = TreeBuilder<SectionResultLeaf>(shape: shapes.sectionResults, sink: sink)
    var firstItem = 0
    var end = Length.zero
    try dataset.sections.forEachLeaf(in: session) { leaf, _ in
      var run = SectionResultLeaf()
      for entry in leaf.entries {
        let section = plan.section(entry.key)
        let items = SectionItems(
          dataset.items, in: firstItem..<(firstItem + entry.itemCount), view, shapes,
          in: session)
        let (content, length) = try section.kind.placing.laidOut(items, into: sink, work: &work)
        run.entries.append(
          SectionResult(length: section.fixedLength + length, content: content))
        firstItem += entry.itemCount
        end += section.fixedLength + length + plan.sectionSpacing
        try Limits.checkContent(end - plan.sectionSpacing)
      }
      try results.append(run)
    }
    return try results.finish()
  }
}
