/// A set of columns as a bit set: an edit collects the affected columns without heap
/// allocation, and converts them to ranges once.
struct ColumnSet: Sendable, Equatable {
  /// The bits: `Limits.columnsMax` of them.
  private var words = SIMD4<UInt64>.zero

  var isEmpty: Bool { words == .zero }

  func contains(_ column: Int) -> Bool {
    words[column >> 6] >> UInt64(column & 63) & 1 == 1
  }

  mutating func insert(_ column: Int) {
    words[column >> 6] |= 1 << UInt64(column & 63)
  }

  mutating func insert(_ columns: Range<Int>) {
    for column in columns { insert(column) }
  }

  mutating func formUnion(_ other: ColumnSet) { words |= other.words }

  func forEachColumn(_ body: (_ column: Int) -> Void) {
    for index in 0..<words.scalarCount {
      var rest = words[index]
      while rest != 0 {
        body(index << 6 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }

  var ranges: RangeSet<Int> {
    var ranges = RangeSet<Int>()
    var run: Range<Int>?
    forEachColumn { column in
      if let present = run, present.upperBound == column {
        run = present.lowerBound..<(column + 1)
      } else {
        if let run { ranges.insert(contentsOf: run) }
        run = column..<(column + 1)
      }
    }
    // Most edits affect one run, which needs no search.
    guard let run else { return ranges }
    if ranges.isEmpty { return RangeSet(run) }
    ranges.insert(contentsOf: run)
    return ranges
  }
}
