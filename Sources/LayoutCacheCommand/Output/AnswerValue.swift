import LayoutGeometry
import TextFormats

/// A value of an answer, as programs and as people read it.
protocol AnswerValue {
  /// Whether a table aligns it as a number.
  static var isNumber: Bool { get }
  /// What people read; empty where there is nothing to say.
  var text: String { get }
  /// Appends what programs read.
  func write(to json: inout JSONWriter)
}

extension AnswerValue {
  static var isNumber: Bool { true }
}

extension AnswerValue where Self: CustomStringConvertible {
  var text: String { description }
}

extension String: AnswerValue {
  static var isNumber: Bool { false }
  var text: String { self }
  func write(to json: inout JSONWriter) { json.value(self) }
}

extension Bool: AnswerValue {
  static var isNumber: Bool { false }
  func write(to json: inout JSONWriter) { json.value(self) }
}

extension Int: AnswerValue {
  func write(to json: inout JSONWriter) { json.value(self) }
}

/// People get one decimal.
extension Double: AnswerValue {
  var text: String { oneDecimal(self) }
  func write(to json: inout JSONWriter) { json.value(self) }
}

/// In points.
extension Length: AnswerValue {
  func write(to json: inout JSONWriter) { json.value(points) }
}

extension Size: AnswerValue {
  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("width", width)
    json.member("height", height)
    json.endObject()
  }
}

extension Point: AnswerValue {
  var text: String { "\(x), \(y)" }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("x", x)
    json.member("y", y)
    json.endObject()
  }
}

extension Rect: AnswerValue {
  var text: String { "\(size.text) at \(origin.text)" }

  func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("x", minX)
    json.member("y", minY)
    json.member("width", size.width)
    json.member("height", size.height)
    json.endObject()
  }
}

/// `null` to programs and nothing to people where there is no value.
extension Optional: AnswerValue where Wrapped: AnswerValue {
  static var isNumber: Bool { Wrapped.isNumber }
  var text: String { self?.text ?? "" }

  func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.null() }
  }
}

extension Array: AnswerValue where Element: AnswerValue {
  static var isNumber: Bool { false }
  var text: String { map(\.text).joined(separator: ", ") }

  func write(to json: inout JSONWriter) {
    json.beginArray()
    for element in self { element.write(to: &json) }
    json.endArray()
  }
}

/// A JSON text, which people get nothing of.
struct JSONText: AnswerValue {
  var json: String

  var text: String { "" }
  func write(to json: inout JSONWriter) { json.value(json: self.json) }
}

extension JSONWriter {
  /// Appends a member with a value; an optional's is `null` where there is none.
  mutating func member(_ name: String, _ value: some AnswerValue) {
    member(name)
    value.write(to: &self)
  }

  /// Appends a member, unless its value is `nil`.
  mutating func optionalMember(_ name: String, _ value: (some AnswerValue)?) {
    if let value { member(name, value) }
  }
}

/// A number rounded to one decimal; empty without a number.
func oneDecimal(_ number: Double?) -> String {
  guard let number else { return "" }
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
