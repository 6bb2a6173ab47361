import JSONText
import LayoutGeometry

/// A member of an item's data, and the column or member that holds its value.
///
/// It is written `NAME[=FIELD][:TYPE]`, for instance `title`, `title=product_name` or
/// `price:number`. A field whose name is the whole text comes first, so that every column can
/// be named.
package struct DataMember: Hashable, Sendable, ExpressibleByStringLiteral {
  /// The JSON type of a value.
  package enum ValueType: String, CaseIterable, Sendable {
    case string, number, boolean
    /// Any JSON value, written as JSON text.
    case json
    /// An array of strings: a JSON array as it is, or texts separated by commas.
    case list
  }

  /// One meaning of the text.
  struct Reading: Hashable, Sendable {
    var name: String
    var field: String
    /// `nil` for a string in CSV and TSV, and for an unchanged value in NDJSON.
    var type: ValueType?
  }

  /// The text that describes the member.
  package let text: String
  /// The meanings of the text; the first one whose field exists is used. Not empty.
  let readings: [Reading]

  package init(_ text: String) {
    self.text = text
    var readings = [Reading(name: text, field: text)]
    func addAssignment(_ text: Substring, type: ValueType?) {
      guard let sign = text.firstIndex(of: "=") else { return }
      readings.append(
        Reading(
          name: String(text[..<sign]), field: String(text[text.index(after: sign)...]), type: type))
    }
    addAssignment(text[...], type: nil)
    if let colon = text.lastIndex(of: ":"),
      let type = ValueType(rawValue: String(text[text.index(after: colon)...]))
    {
      let plain = text[..<colon]
      readings.append(Reading(name: String(plain), field: String(plain), type: type))
      addAssignment(plain, type: type)
    }
    self.readings = readings
  }

  package init(stringLiteral text: String) { self.init(text) }

  /// The member's name.
  package var name: String { meaning.name }

  /// Whether the name and the field are not empty.
  private var isComplete: Bool { !meaning.name.isEmpty && !meaning.field.isEmpty }

  /// Parses members separated by commas.
  ///
  /// - Throws: ``ValueTextError``.
  package static func list(_ text: String) throws(ValueTextError) -> [DataMember] {
    let members = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { DataMember(String($0)) }
    if members.contains(where: { !$0.isComplete }) {
      throw ValueTextError(description: "a name is empty; give A,B,C")
    }
    for (index, member) in members.enumerated()
    where members[..<index].contains(where: { $0.name.isExactly(member.name) }) {
      throw ValueTextError(description: "'\(excerpt(member.name))' is given twice")
    }
    return members
  }

  /// The most specific meaning: it is the intended one unless a field has a longer name.
  private var meaning: Reading { readings[readings.count - 1] }

  /// The field of the most specific meaning, for messages.
  var wantedField: String { meaning.field }
}

extension DataMember.ValueType {
  /// Returns the JSON text of a value that is given as text.
  ///
  /// - Parameters:
  ///   - field: The field's name in messages.
  ///   - record: The record that contains the value.
  /// - Throws: `notANumber`, `notABoolean`, `malformedJSON`.
  func json(
    ofText text: String, _ field: String, _ shape: TextShape, in record: TextRecord
  ) throws(RecordProblem) -> String {
    let trimmed = String(text[...].trimmingSpaces)
    switch self {
    case .string:
      var bytes: [UInt8] = []
      appendJSONString(text, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    case .number:
      // In JSON's notation, because it becomes a part of a JSON text.
      var number = trimmed
      func isNumber() -> Bool { number.withUTF8 { DecimalText(UnsafeRawBufferPointer($0)) != nil } }
      if shape.usesDecimalComma || !isNumber() {
        let relaxed = number.withUTF8 {
          relaxedNumber(UnsafeRawBufferPointer($0), usesDecimalComma: shape.usesDecimalComma)
        }
        number = relaxed.map { String(decoding: $0, as: UTF8.self) } ?? ""
      }
      guard isNumber() else {
        throw record.problem(
          .notANumber, field: field, "\(excerpt(field)) is not a number: \"\(excerpt(text))\"")
      }
      return number
    case .list:
      if let document = try? JSONDocument(trimmed), document.nodes[0].value.kind == .array {
        return trimmed
      }
      var json = JSONWriter()
      json.beginArray()
      for part in trimmed.split(separator: ",") where !part.trimmingSpaces.isEmpty {
        json.value(String(part.trimmingSpaces))
      }
      json.endArray()
      return String(decoding: json.bytes, as: UTF8.self)
    case .boolean:
      switch trimmed.lowercased() {
      case "true", "1": return "true"
      case "false", "0": return "false"
      default:
        throw record.problem(
          .notABoolean, field: field,
          "\(excerpt(field)) is neither true nor false: \"\(excerpt(text))\"")
      }
    case .json:
      do {
        _ = try JSONDocument(text)
      } catch {
        throw record.problem(
          .malformedJSON, field: field,
          """
          \(excerpt(field)) is not JSON: expected \(error.expected) at byte \(error.offset + 1) of \
          "\(excerpt(text))"
          """)
      }
      return text
    }
  }

  /// Returns the JSON text of a value of an NDJSON object: converted if it is a string, and
  /// otherwise unchanged if it is of the type.
  ///
  /// - Throws: As ``json(ofText:_:_:in:)``.
  func json(
    of value: JSONToken, _ field: String, _ shape: TextShape, in record: TextRecord
  ) throws(RecordProblem) -> String {
    let written = value.json(in: record)
    switch (self, value.kind) {
    case (.string, .string), (.number, .number), (.boolean, .boolean), (.list, .array):
      return written
    case (_, .string): return try json(ofText: value.text(in: record), field, shape, in: record)
    case (.json, _): return written
    // The notation of JSON's own numbers does not depend on the file's.
    default: return try json(ofText: written, field, TextShape(), in: record)
    }
  }
}
