import LayoutGeometry
import SumTree

/// A run of placed items of a waterfall section: each item's first column, column span and advance.
struct WaterfallLeaf: Sendable, Equatable {
  /// The first column of each item.
  private(set) var columns: [UInt8] = []
  /// Each item's column span minus 1; empty if all spans are 1.
  private(set) var furtherColumns: [UInt8] = []
  /// Each item's length plus the line spacing, in units; at least 1.
  private(set) var advances: [Int64] = []

  mutating func append(column: Int, columnSpan: Int, advance: Length) {
    if columnSpan != 1 && furtherColumns.isEmpty {
      furtherColumns = Array(repeating: 0, count: count)
    }
    if columnSpan != 1 || !furtherColumns.isEmpty {
      furtherColumns.append(UInt8(columnSpan - 1))
    }
    columns.append(UInt8(column))
    advances.append(advance.units)
  }

  /// Replaces an item with the only item of a leaf.
  mutating func replace(at index: Int, with item: WaterfallLeaf) {
    columns[index] = item.columns[0]
    advances[index] = item.advances[0]
    if furtherColumns.isEmpty && item.furtherColumns.isEmpty { return }
    furtherColumns = furtherInFull
    furtherColumns[index] = item.furtherInFull[0]
    if furtherColumns.allSatisfy({ $0 == 0 }) { furtherColumns = [] }
  }

  /// Sets an item's first column.
  mutating func setColumn(_ column: Int, at index: Int) { columns[index] = UInt8(column) }

  func columnSpan(at index: Int) -> Int {
    furtherColumns.isEmpty ? 1 : Int(furtherColumns[index]) + 1
  }

  /// Returns the columns that an item spans.
  func columnRange(at index: Int) -> Range<Int> {
    let first = Int(columns[index])
    return first..<(first + columnSpan(at: index))
  }

  /// Runs `body` on the first columns and the advances of all items. A search reads every item
  /// of a leaf, and index checks would take half of its time.
  ///
  /// The buffers have the same length, which is checked here, and are valid until `body` returns.
  func withItems<Result>(
    _ body: (_ columns: UnsafeBufferPointer<UInt8>, _ advances: UnsafeBufferPointer<Int64>)
      throws -> Result
  ) rethrows -> Result {
    precondition(columns.count == advances.count)
    return try columns.withUnsafeBufferPointer { columns in
      try advances.withUnsafeBufferPointer { try body(columns, $0) }
    }
  }

  /// Moves the positions past an item.
  ///
  /// - Returns: The item's start.
  @inline(__always)
  func place(_ index: Int, on positions: inout [Int64]) -> Int64 {
    let column = Int(columns[index])
    let advance = advances[index]
    if furtherColumns.isEmpty {
      let start = positions[column]
      positions[column] = start + advance
      return start
    }
    let covered = column..<(column + columnSpan(at: index))
    var start = positions[column]
    for c in covered { start = max(start, positions[c]) }
    for c in covered { positions[c] = start + advance }
    return start
  }
}

extension WaterfallLeaf: PlacedLeaf {
  static func shape(_ shapes: TreeShapes) -> TreeShape { shapes.waterfall }

  func isElement(_ index: Int, equalTo other: Int, of leaf: WaterfallLeaf) -> Bool {
    advances[index] == leaf.advances[other]
      && columnRange(at: index) == leaf.columnRange(at: other)
  }

  var count: Int { columns.count }

  var byteCount: Int { 9 * count + furtherColumns.count + 96 }

  var summary: WaterfallSummary { WaterfallSummary(map: map, longestAdvance: advances.max() ?? 0) }

  private var map: ColumnMap {
    if furtherColumns.isEmpty {
      guard let last = columns.max() else { return .identity }
      var shifts = [Int64](repeating: 0, count: Int(last) + 1)
      for index in columns.indices { shifts[Int(columns[index])] += advances[index] }
      return .shifting(shifts)
    }
    return TiedColumns(
      placing: columns.indices.lazy.map { index in
        let first = Int(columns[index])
        return (first..<(first + columnSpan(at: index)), advances[index])
      }
    ).reduced
  }

  func slice(_ range: Range<Int>) -> WaterfallLeaf {
    var slice = WaterfallLeaf()
    slice.columns = Array(columns[range])
    slice.advances = Array(advances[range])
    if !furtherColumns.isEmpty {
      let further = furtherColumns[range]
      slice.furtherColumns = further.allSatisfy { $0 == 0 } ? [] : Array(further)
    }
    return slice
  }

  func joined(with next: WaterfallLeaf) -> WaterfallLeaf {
    var joined = self
    joined.columns += next.columns
    joined.advances += next.advances
    if !furtherColumns.isEmpty || !next.furtherColumns.isEmpty {
      joined.furtherColumns = furtherInFull + next.furtherInFull
    }
    return joined
  }

  private var furtherInFull: [UInt8] {
    furtherColumns.isEmpty ? Array(repeating: 0, count: count) : furtherColumns
  }

  // count    varint, at least 1
  // flags    u8: bit 0 set if items span columns
  // column   u8 × count
  // further  u8 × count, if bit 0 of flags is set
  // advance  varint × count, units, at least 1

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(count)
    writer.writeUInt8(furtherColumns.isEmpty ? 0 : 1)
    writer.writeBytes(columns)
    writer.writeBytes(furtherColumns)
    for advance in advances { writer.writeVarint(UInt64(advance)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 2)
    let flags = try reader.readUInt8()
    guard flags <= 1 else { throw reader.malformed("waterfall flags") }
    columns = try reader.readBytes(count: count)
    if flags == 1 {
      furtherColumns = try reader.readBytes(count: count)
      for (column, further) in zip(columns, furtherColumns)
      where Int(column) + Int(further) >= Limits.columnsMax {
        throw reader.malformed("columns")
      }
    }
    advances = try reader.readCounts(count, sumMax: PlacedAdvance.max * Limits.columnsMax)
    guard advances.allSatisfy({ $0 <= PlacedAdvance.max }) else {
      throw reader.malformed("advance")
    }
  }
}
