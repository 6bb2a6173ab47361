/// A value of a column or a parameter.
enum ColumnValue {
  case null
  case number(Int64)
  case text(String)
  case bytes([UInt8])
}
