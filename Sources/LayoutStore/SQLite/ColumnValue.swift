/// What is stored in a column, or bound to a parameter.
enum ColumnValue {
  case null
  case number(Int64)
  case text(String)
  case bytes([UInt8])
}
