import JSONText
import LayoutGeometry

/// A record, or an object within one, with its position.
struct TextRecord {
  /// The bytes without the line end; UTF-8 without NUL unless there is a fault.
  let bytes: UnsafeRawBufferPointer
  /// The line, counted from 1, on which the record starts.
  let line: Int
  /// The fields of CSV and TSV, as parts of the bytes; empty for NDJSON.
  var fields: [DelimitedField] = []
  /// The reason that the fields are unknown.
  var fault: RecordFault?
  /// Whether more bytes of a record that is too long follow, or precede these.
  var isContinued = false
  /// Whether the record is the whole body of a request, which may have several lines.
  var isBody = false
  var isContinuation = false

  /// Returns a problem that a clause describes completely: `width is empty`.
  ///
  /// - Parameters:
  ///   - code: A kind with a clause.
  ///   - found: The field's content, if it is informative.
  func problem(
    _ code: RecordProblem.Code, of field: String, found: UnsafeRawBufferPointer? = nil
  ) -> RecordProblem {
    guard let clause = code.clause else { preconditionFailure("\(code) needs a separate message") }
    var message = "\(excerpt(field)) \(clause)"
    if let found {
      // Text that is not a number may end in spaces, which would be invisible.
      let quote = code.isOfNumbers ? "\"" : ""
      message += ": \(quote)\(excerpt(of: found))\(quote)"
      if code == .notANumber, let advice = numberAdvice(found) { message += "; \(advice)" }
    }
    return problem(code, field: field, message)
  }

  /// Returns the problem of a member missing in the line's object; it names a similarly spelled
  /// member.
  func missing(_ field: String) -> RecordProblem {
    var names: [String] = []
    // A line without members, or other than an object, has no near name.
    try? forEachMember { name, _ in if names.count < 64 { names.append(name.text(in: self)) } }
    let wanted = field.split(separator: ".").last.map(String.init) ?? field
    let others = names.filter { !["key", "width", "height"].contains($0) }
    guard let near = nearestName(to: wanted, among: others) else {
      return problem(.missingField, of: field)
    }
    return problem(
      .missingField, field: field, "\(excerpt(field)) is missing; did you mean '\(excerpt(near))'?")
  }

  /// Returns a problem with a complete message.
  func problem(
    _ code: RecordProblem.Code, field: String? = nil, _ message: String
  ) -> RecordProblem {
    RecordProblem(line: line, code: code, field: field, message: message)
  }

  /// Returns the remedy for a text that begins like a number and is none.
  private func numberAdvice(_ text: UnsafeRawBufferPointer) -> String? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard let first = text.first(where: { $0 != UInt8(ascii: "-") }), digits.contains(first) else {
      return nil
    }
    // A string of JSON.
    if (try? parseDouble(text)) != nil { return "write it without quotes" }
    let rest = text.drop { digits.contains($0) || "-., '".utf8.contains($0) }
    return rest.isEmpty
      ? "write it without separators; for decimals after a comma: --decimal comma"
      : "write it without a unit"
  }

  /// Returns the number in a field's text, which may have one of the notations of
  /// ``relaxedNumber(_:usesDecimalComma:)``.
  ///
  /// - Throws: As ``number(_:of:_:)``.
  @inline(__always)
  func number<Number>(
    _ text: UnsafeRawBufferPointer, _ shape: TextShape, of field: @autoclosure () -> String,
    _ parse: (UnsafeRawBufferPointer) throws(NumberError) -> Number
  ) throws(RecordProblem) -> Number {
    if !shape.usesDecimalComma, let number = try? parse(text) { return number }
    let relaxed = relaxedNumber(text, usesDecimalComma: shape.usesDecimalComma)
    if let relaxed, let number = relaxed.withUnsafeBytes({ try? parse($0) }) { return number }
    throw problem(numberError(text, parse), of: field(), found: text)
  }

  private func numberError<Number>(
    _ text: UnsafeRawBufferPointer,
    _ parse: (UnsafeRawBufferPointer) throws(NumberError) -> Number
  ) -> RecordProblem.Code {
    do { _ = try parse(text) } catch { return RecordProblem.Code(error) }
    return .notANumber
  }

  /// Returns the number in a field's text.
  ///
  /// - Parameter parse: ``parseDouble(_:)`` or ``parseInteger(_:)``.
  /// - Throws: The error of `parse`, as a problem of the field.
  @inline(__always)
  func number<Number>(
    _ text: UnsafeRawBufferPointer, of field: @autoclosure () -> String,
    _ parse: (UnsafeRawBufferPointer) throws(NumberError) -> Number
  ) throws(RecordProblem) -> Number {
    do {
      return try parse(text)
    } catch {
      throw problem(RecordProblem.Code(error), of: field(), found: text)
    }
  }
}
