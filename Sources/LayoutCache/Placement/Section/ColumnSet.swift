import LayoutGeometry

/// A set of columns, one bit each: an edit gathers the columns that it reaches without
/// memory of its own, and makes ranges of them once.
struct ColumnSet: Sendable, Equatable {
  /// As many bits as `Limits.columnsMax`.
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
    // Most edits reach one run, which costs no search.
    guard let run else { return ranges }
    if ranges.isEmpty { return RangeSet(run) }
    ranges.insert(contentsOf: run)
    return ranges
  }
}
