import SumTree

/// A place that stands still before an element and moves behind it: what a change
/// makes of the items that follow it.
struct LaterPlace<Place: Dimension>: Dimension {
  var place: Place
  private var count = 0
  /// The first element that moves the place; begins a leaf.
  private let start: Int

  init(_ place: Place, from start: Int) {
    self.place = place
    self.start = start
  }

  mutating func advance(over summary: Place.LeafSummary, count: Int) {
    if self.count >= start { place.advance(over: summary, count: count) }
    self.count += count
  }
}

extension SumTree {
  /// Moves a place over the leaves from one on to the end.
  ///
  /// - Parameter start: The first leaf's first element.
  /// - Complexity: O(log n) nodes.
  func advance<Place: Dimension<Leaf.LeafSummary>>(
    _ place: inout Place, overLeavesFrom start: Int, reader: TreeReader
  ) throws {
    if start >= count { return }
    var cursor = Cursor(self, at: LaterPlace(place, from: start), reader: reader)
    // To the first leaf, and then past everything at once.
    _ = try cursor.seek(toElement: start)
    _ = try cursor.seek { _ in false }
    place = cursor.before.place
  }
}

extension SumTree<WaterfallLeaf> {
  /// Moves columns' next positions past the items from one on to the end.
  ///
  /// - Complexity: O(log n) nodes.
  func advance(
    _ positions: inout [Int64], overItemsFrom item: Int, reader: TreeReader
  ) throws {
    if item >= count { return }
    let (leaf, start) = try leaf(containing: item, reader: reader)
    for index in (item - start)..<leaf.count { _ = leaf.place(index, on: &positions) }
    var place = ColumnPositions(positions)
    try advance(&place, overLeavesFrom: start + leaf.count, reader: reader)
    positions = place.positions
  }
}
