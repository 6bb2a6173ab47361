/// A JSON value, members of an object in written order.
///
/// A number keeps its value only: 2 and 2.0 are the same.
enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Sendable {
    var key: String
    var value: JSONValue
  }
}
