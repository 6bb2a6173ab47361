package import LayoutCache
package import LayoutGeometry

/// A value of an answer, with its JSON and its text.
package protocol AnswerValue {
  /// Whether tables align the value as a number.
  static var isNumber: Bool { get }
  /// The text in tables; may be empty.
  var text: String { get }
  /// Appends the JSON value.
  func write(to json: inout JSONWriter)
}

extension AnswerValue {
  package static var isNumber: Bool { true }
}

extension AnswerValue where Self: CustomStringConvertible {
  package var text: String { description }
}

extension String: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { self }
  package func write(to json: inout JSONWriter) { json.value(self) }
}

extension Bool: AnswerValue {
  package static var isNumber: Bool { false }
  package func write(to json: inout JSONWriter) { json.value(self) }
}

extension Int: AnswerValue {
  package func write(to json: inout JSONWriter) { json.value(self) }
}

/// Tables show one decimal.
extension Double: AnswerValue {
  package var text: String { oneDecimal(self) }
  package func write(to json: inout JSONWriter) { json.value(self) }
}

/// In points.
extension Length: AnswerValue {
  package func write(to json: inout JSONWriter) { json.value(points) }
}

extension Size: AnswerValue {
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("width", width)
    json.member("height", height)
    json.endObject()
  }
}

extension Point: AnswerValue {
  package var text: String { "\(x), \(y)" }

  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("x", x)
    json.member("y", y)
    json.endObject()
  }
}

extension Rect: AnswerValue {
  package var text: String { "\(size.text) at \(origin.text)" }

  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("x", minX)
    json.member("y", minY)
    json.member("width", size.width)
    json.member("height", size.height)
    json.endObject()
  }
}

extension CarouselExtent: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { "\(contentLength), scrolled by \(offset) of \(maximumOffset)" }

  package func write(to json: inout JSONWriter) {
    json.beginObject()
    json.member("contentLength", contentLength)
    json.member("offset", offset)
    json.member("maximumOffset", maximumOffset)
    json.endObject()
  }
}

/// Without a value: `null` in JSON, empty in tables.
extension Optional: AnswerValue where Wrapped: AnswerValue {
  package static var isNumber: Bool { Wrapped.isNumber }
  package var text: String { self?.text ?? "" }

  package func write(to json: inout JSONWriter) {
    if let self { self.write(to: &json) } else { json.null() }
  }
}

extension Array: AnswerValue where Element: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { map(\.text).joined(separator: ", ") }

  package func write(to json: inout JSONWriter) {
    json.array(of: self) { $1.write(to: &$0) }
  }
}

/// In JSON the object; tables show its start.
extension ItemData: AnswerValue {
  package static var isNumber: Bool { false }
  package var text: String { excerpt(json) }
  package func write(to json: inout JSONWriter) { json.value(json: self.json) }
}

/// A JSON text, not shown in tables.
package struct JSONText: AnswerValue {
  package var json: String

  package init(json: String) { self.json = json }

  package var text: String { "" }
  package func write(to json: inout JSONWriter) { json.value(json: self.json) }
}

extension JSONWriter {
  /// Appends a member with a value; for an optional without a value, `null`.
  package mutating func member(_ name: String, _ value: some AnswerValue) {
    member(name)
    value.write(to: &self)
  }

  /// Appends a member, unless its value is `nil`.
  package mutating func optionalMember(_ name: String, _ value: (some AnswerValue)?) {
    if let value { member(name, value) }
  }
}

/// Returns a number rounded to one decimal; empty text for `nil`.
package func oneDecimal(_ number: Double?) -> String {
  guard let number else { return "" }
  let tenths = Int((number * 10).rounded())
  return "\(tenths / 10).\(tenths % 10)"
}
