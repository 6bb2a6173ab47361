import CollectionLayout
import LayoutGeometry
import SumTree

// The state of a stable section that is not derivable from its items: the first column of each
// item, and the state of its rebalance. The items' column spans and lengths are derivable.

extension WaterfallPlan {
  func encodeHistory(of kept: StoredWaterfall, into writer: inout ByteWriter) {
    kept.encodeHistory(into: &writer)
  }

  func forEachRunOfColumns(
    of kept: StoredWaterfall, in session: TreeSession, _ body: ([UInt8]) throws -> Void
  ) throws {
    try kept.tree.forEachLeaf(in: session) { leaf, _ in try body(leaf.columns) }
  }

  func layOut(
    _ items: SectionItems, extending kept: StoredWaterfall, in stored: TreeSession,
    into sink: any NodeSink
  ) throws -> StoredWaterfall {
    var extended = kept
    extended.tree = try tree(of: items, placedBy: placer(asIn: kept, in: stored), into: sink)
    return extended
  }

  func layOut(
    _ items: SectionItems, from history: inout ByteReader,
    columns nextColumn: @escaping () throws -> Int, into sink: (any NodeSink)?
  ) throws -> StoredWaterfall {
    let placer = WaterfallPlacer(self) { columnSpan in
      let column = try nextColumn()
      guard (0...(tracks.count - columnSpan)).contains(column) else {
        throw DamagedLayout(
          detail: "an item spans \(columnSpan) columns from column \(column) of \(tracks.count)")
      }
      return column
    }
    return try StoredWaterfall(
      tree: tree(of: items, placedBy: placer, into: sink), historyFrom: &history)
  }
}
