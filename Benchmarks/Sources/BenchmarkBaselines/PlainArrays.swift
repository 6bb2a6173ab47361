/// The fastest hand-written waterfall: one array of item starts per column, in memory.
///
/// Items have no gaps; each is placed in the shortest column, the first of several. Lengths are
/// integers, in any unit.
package struct PlainArrays {
  /// The position of an item: the number of its column, and its number in that column.
  package struct Position {
    // 8 bytes per item: ten million of them are in memory at a time.
    private var storedColumn: UInt32
    private var storedNumber: UInt32

    package var column: Int { Int(storedColumn) }
    package var number: Int { Int(storedNumber) }

    init(column: Int, number: Int) {
      storedColumn = UInt32(column)
      storedNumber = UInt32(number)
    }
  }

  /// The starts of each column's items, and the end of the column's last item.
  @usableFromInline private(set) var starts: [[Int64]]

  /// Creates columns without items.
  package init(columns: Int) {
    starts = Array(repeating: [0], count: columns)
  }

  /// The end of the longest column.
  package var length: Int64 { starts.reduce(0) { max($0, $1[$1.count - 1]) } }

  /// The size of the starts in bytes.
  package var byteCount: Int {
    starts.reduce(0) { $0 + $1.count * MemoryLayout<Int64>.stride }
  }

  /// Places an item at the end of the shortest column.
  ///
  /// - Parameter length: At least 1.
  /// - Returns: The position of the item.
  package mutating func append(length: Int64) -> Position {
    var column = 0
    for other in starts.indices where end(of: other) < end(of: column) { column = other }
    let position = Position(column: column, number: starts[column].count - 1)
    starts[column].append(end(of: column) + length)
    return position
  }

  /// The start of an item.
  package func start(of position: Position) -> Int64 { starts[position.column][position.number] }

  /// The start and end of a column's item.
  @inlinable package func extent(ofColumn column: Int, item: Int) -> (start: Int64, end: Int64) {
    (starts[column][item], starts[column][item + 1])
  }

  /// The items of a column that intersect a viewport, by their numbers in it.
  ///
  /// - Complexity: O(log items) and the items found.
  package func items(ofColumn column: Int, in viewport: Range<Int64>) -> Range<Int> {
    starts[column].withUnsafeBufferPointer { Self.items(in: viewport, of: $0) }
  }

  /// Counts the items that intersect a viewport of all columns.
  ///
  /// - Parameter viewport: Half-open; items that only touch it are not counted.
  /// - Complexity: O(columns · log items) and the items counted.
  package func count(in viewport: Range<Int64>) -> Int {
    var count = 0
    for column in starts {
      column.withUnsafeBufferPointer { count += Self.items(in: viewport, of: $0).count }
    }
    return count
  }

  /// Changes an item's length.
  ///
  /// - Parameter delta: The increase in length.
  /// - Complexity: O(later items of the column).
  package mutating func resize(_ position: Position, by delta: Int64) {
    starts[position.column].withUnsafeMutableBufferPointer { column in
      // Without overflow checks the loop is vectorized.
      for number in (position.number + 1)..<column.count { column[number] &+= delta }
    }
  }

  private func end(of column: Int) -> Int64 { starts[column][starts[column].count - 1] }

  private static func items(
    in viewport: Range<Int64>, of column: UnsafeBufferPointer<Int64>
  ) -> Range<Int> {
    let items = column.count - 1
    // The first item that ends below the viewport's top.
    var first = 0
    var rest = items
    while rest > 0 {
      let half = rest / 2
      if column[first + half + 1] <= viewport.lowerBound {
        first += half + 1
        rest -= half + 1
      } else {
        rest = half
      }
    }
    // A viewport contains few items of a column: a scan is faster than a second search.
    var end = first
    while end < items && column[end] < viewport.upperBound { end += 1 }
    return first..<end
  }
}
