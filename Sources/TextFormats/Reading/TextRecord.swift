import JSONText
import LayoutGeometry

/// A record, or an object within one, and where it stands.
struct TextRecord {
  /// The bytes without the line end; UTF-8 without NUL.
  let bytes: UnsafeRawBufferPointer
  /// The line, counted from 1, on which the record starts.
  let line: Int
  /// The fields of CSV and TSV, as parts of the bytes; none for NDJSON.
  var fields: [DelimitedField] = []

  /// A problem of a field of which a clause says enough: `width is empty`.
  ///
  /// - Parameters:
  ///   - code: A kind with a clause.
  ///   - found: What the field holds, if that says more.
  func problem(
    _ code: RecordProblem.Code, of field: String, found: UnsafeRawBufferPointer? = nil
  ) -> RecordProblem {
    guard let clause = code.clause else {
      preconditionFailure("\(code) needs a sentence of its own")
    }
    var message = "\(excerpt(field)) \(clause)"
    if let found {
      // What is no number may end in spaces that nobody would see.
      let quote = code.isOfNumbers ? "\"" : ""
      message += ": \(quote)\(excerpt(of: found))\(quote)"
    }
    return problem(code, field: field, message)
  }

  /// The problem of a member that the line's object does not have; it names one that is spelled
  /// nearly like it.
  func missing(_ field: String) -> RecordProblem {
    var names: [String] = []
    // A line without members, or one that is no object, has no near name.
    try? forEachMember { name, _ in if names.count < 64 { names.append(name.text(in: self)) } }
    let wanted = field.split(separator: ".").last.map(String.init) ?? field
    let others = names.filter { !["key", "width", "height"].contains($0) }
    guard let near = nearestName(to: wanted, among: others) else {
      return problem(.missingField, of: field)
    }
    return problem(
      .missingField, field: field, "\(excerpt(field)) is missing; is it '\(excerpt(near))'?")
  }

  /// A problem with its own sentence.
  func problem(
    _ code: RecordProblem.Code, field: String? = nil, _ message: String
  ) -> RecordProblem {
    RecordProblem(line: line, code: code, field: field, message: message)
  }

  /// The number that a field's text states.
  ///
  /// - Parameter parse: ``parseDouble(_:)`` or ``parseInteger(_:)``.
  /// - Throws: What `parse` throws, as a problem of the field.
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
