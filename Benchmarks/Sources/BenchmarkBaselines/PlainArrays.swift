/// The fastest hand-written waterfall: one array of item starts per column, in memory.
///
/// Items have no gaps; each goes to the shortest column, the first of several. Lengths are
/// whole numbers of any one unit.
package struct PlainArrays {
  /// The position of an item: the number of its column, and its number in that column.
  package struct Place {
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

  /// For each column the start of each of its items, and the end of the last one.
  @usableFromInline private(set) var positions: [[Int64]]

  /// Creates columns without items.
  package init(columns: Int) {
    positions = Array(repeating: [0], count: columns)
  }

  /// The end of the longest column.
  package var length: Int64 { positions.reduce(0) { max($0, $1[$1.count - 1]) } }

  /// The size of the positions in bytes.
  package var byteCount: Int {
    positions.reduce(0) { $0 + $1.count * MemoryLayout<Int64>.stride }
  }

  /// Places an item at the end of the shortest column.
  ///
  /// - Parameter length: At least 1.
  /// - Returns: The position of the item.
  package mutating func append(length: Int64) -> Place {
    var column = 0
    for other in positions.indices where end(of: other) < end(of: column) { column = other }
    let place = Place(column: column, number: positions[column].count - 1)
    positions[column].append(end(of: column) + length)
    return place
  }

  /// The start of an item.
  package func start(of place: Place) -> Int64 { positions[place.column][place.number] }

  /// The start and end of a column's item.
  @inlinable package func extent(ofColumn column: Int, item: Int) -> (start: Int64, end: Int64) {
    (positions[column][item], positions[column][item + 1])
  }

  /// The items of a column that intersect a viewport, by their numbers in it.
  ///
  /// - Complexity: O(log items) and the items found.
  package func items(ofColumn column: Int, in viewport: Range<Int64>) -> Range<Int> {
    positions[column].withUnsafeBufferPointer { Self.items(in: viewport, of: $0) }
  }

  /// Counts the items that intersect a viewport of all columns.
  ///
  /// - Parameter viewport: Half-open; items that only touch it are not counted.
  /// - Complexity: O(columns · log items) and the items counted.
  package func count(in viewport: Range<Int64>) -> Int {
    var count = 0
    for column in positions {
      column.withUnsafeBufferPointer { count += Self.items(in: viewport, of: $0).count }
    }
    return count
  }

  /// Gives an item another length.
  ///
  /// - Parameter delta: The increase in length.
  /// - Complexity: O(later items of the column).
  package mutating func resize(_ place: Place, by delta: Int64) {
    positions[place.column].withUnsafeMutableBufferPointer { column in
      // Without the check on overflow the loop becomes vector instructions.
      for number in (place.number + 1)..<column.count { column[number] &+= delta }
    }
  }

  private func end(of column: Int) -> Int64 { positions[column][positions[column].count - 1] }

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
    // A viewport holds a handful of a column's items: walking beats a second search.
    var end = first
    while end < items && column[end] < viewport.upperBound { end += 1 }
    return first..<end
  }
}
