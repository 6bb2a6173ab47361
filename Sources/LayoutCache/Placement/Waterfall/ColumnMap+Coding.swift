import LayoutGeometry
import SumTree

extension ColumnMap {
  // form  u8: 0 shifts, 1 fence, 2 ties
  // shifts: columnCount varint, then columnCount × signed varint
  // fence:  columnCount varint, then columnCount × signed varint (entry), columnCount × (exit)
  // ties:   rows varint, then for each: column varint, terms varint, then for
  //         each: source varint, shift signed varint
  // Columns never move backwards: shifts are at least 0, and between columns at least 1.

  func encode(into writer: inout ByteWriter) {
    switch form {
    case nil, .wideShifts:
      writer.writeUInt8(0)
      let columnCount = columnCount
      writer.writeCount(columnCount)
      for column in 0..<columnCount { writer.writeSignedVarint(shift(of: column)) }
    case .fence(let entry, let exit):
      writer.writeUInt8(1)
      writer.writeCount(entry.count)
      for value in entry + exit { writer.writeSignedVarint(value) }
    case .ties(let ties):
      writer.writeUInt8(2)
      writer.writeCount(ties.rows.count)
      for row in ties.rows {
        writer.writeCount(row.column)
        writer.writeCount(row.terms.count)
        for term in row.terms {
          writer.writeCount(term.source)
          writer.writeSignedVarint(term.shift)
        }
      }
    }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    switch try reader.readUInt8() {
    case 0:
      let shifts = try Self.values(&reader, perColumn: 1)
      guard shifts.allSatisfy({ $0 >= 0 }) else { throw reader.malformed("column shifts") }
      self = .shifting(shifts)
    case 1:
      let values = try Self.values(&reader, perColumn: 2)
      let columnCount = values.count / 2
      let (entry, exit) = (values[..<columnCount], values[columnCount...])
      guard entry.max() == 0, let least = entry.min(), exit.allSatisfy({ $0 + least > 0 }) else {
        throw reader.malformed("column fence")
      }
      self = .fenced(entry: Array(entry), exit: Array(exit))
    case 2:
      var rows: [TiedColumns.Row] = []
      for _ in 0..<(try reader.readCount(limit: Limits.columnsMax)) {
        let column = try Self.column(&reader)
        var terms: [TiedColumns.Term] = []
        for _ in 0..<(try reader.readCount(limit: Limits.columnsMax)) {
          terms.append(
            TiedColumns.Term(
              source: try Self.column(&reader), shift: try Self.value(&reader)))
        }
        // The terms include the row's own column, and every shift is positive.
        guard terms.contains(where: { $0.source == column }),
          terms.allSatisfy({ $0.shift > 0 }), column > rows.last?.column ?? -1,
          zip(terms, terms.dropFirst()).allSatisfy({ $0.source < $1.source })
        else { throw reader.malformed("column order") }
        rows.append(TiedColumns.Row(column: column, terms: terms))
      }
      self = TiedColumns(rows: rows).reduced
    default:
      throw reader.malformed("column map form")
    }
  }

  private static func values(
    _ reader: inout ByteReader, perColumn: Int
  ) throws(ByteError) -> [Int64] {
    let columnCount = try reader.readCount(limit: Limits.columnsMax)
    var values: [Int64] = []
    for _ in 0..<(columnCount * perColumn) { values.append(try value(&reader)) }
    return values
  }

  /// Reads a shift. Its magnitude is limited to twice the longest content, so that the sum of
  /// two never overflows.
  private static func value(_ reader: inout ByteReader) throws(ByteError) -> Int64 {
    let value = try reader.readSignedVarint()
    guard value.magnitude <= UInt64(Limits.contentLengthMax.units) * 2 else {
      throw reader.malformed("column shift")
    }
    return value
  }

  private static func column(_ reader: inout ByteReader) throws(ByteError) -> Int {
    try reader.readCount(limit: Limits.columnsMax - 1)
  }
}
