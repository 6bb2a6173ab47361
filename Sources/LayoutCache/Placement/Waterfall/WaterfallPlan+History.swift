import CollectionLayout
import LayoutGeometry
import SumTree

// What of a stable section does not follow from its items: the first column of each, and how
// it is evened out. How many columns an item covers, and how long it is, does follow.

extension WaterfallPlan {
  func encodeHistory(of kept: KeptWaterfall, into writer: inout ByteWriter) {
    kept.encodeHistory(into: &writer)
  }

  func forEachRunOfColumns(
    of kept: KeptWaterfall, in session: TreeSession, _ body: ([UInt8]) throws -> Void
  ) throws {
    try kept.tree.forEachLeaf(in: session) { leaf, _ in try body(leaf.columns) }
  }

  func layOut(
    _ items: SectionItems, from history: inout ByteReader,
    columns nextColumn: @escaping () throws -> Int, into sink: (any NodeSink)?
  ) throws -> KeptWaterfall {
    let placer = WaterfallPlacer(self) { columnSpan in
      let column = try nextColumn()
      guard (0...(tracks.count - columnSpan)).contains(column) else {
        throw DamagedLayout(
          detail: "an item covers \(columnSpan) columns from \(column) on, of \(tracks.count)")
      }
      return column
    }
    return try KeptWaterfall(
      tree: tree(of: items, placedBy: placer, into: sink), historyFrom: &history)
  }
}
