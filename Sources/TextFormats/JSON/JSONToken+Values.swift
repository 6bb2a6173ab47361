import JSONText

extension JSONToken {
  /// Returns the bytes of a member that must be of a kind.
  ///
  /// - Parameters:
  ///   - other: The problem of a member of another kind.
  ///   - field: The member's name in messages.
  ///   - record: The record that contains the token.
  /// - Throws: `missingField`, `other`.
  @inline(__always)
  func content(
    _ kind: Kind, orElse other: RecordProblem.Code, _ field: @autoclosure () -> String,
    in record: TextRecord
  ) throws(RecordProblem) -> UnsafeRawBufferPointer {
    guard self.kind != .absent else { throw record.missing(field()) }
    let content = content(in: record)
    guard self.kind == kind else { throw record.problem(other, of: field(), found: content) }
    return content
  }

  /// Returns the text of a member that must be a string.
  ///
  /// - Throws: `missingField`, `notAString`.
  @inline(__always)
  func string(
    _ field: @autoclosure () -> String, in record: TextRecord
  ) throws(RecordProblem) -> String {
    _ = try content(.string, orElse: .notAString, field(), in: record)
    return text(in: record)
  }

  /// Returns the text of a member that is a key: a string, or an integer as written, without a
  /// fraction or an exponent.
  ///
  /// - Throws: As ``string(_:in:)``.
  @inline(__always)
  func key(
    _ field: @autoclosure () -> String, in record: TextRecord
  ) throws(RecordProblem) -> String {
    if kind == .number {
      let content = content(in: record)
      let digits = content.first == UInt8(ascii: "-") ? content.dropFirst() : content[...]
      if digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
        return String(decoding: content, as: UTF8.self)
      }
    }
    return try string(field(), in: record)
  }

  /// Returns the double nearest to a member that must be a number.
  ///
  /// - Throws: `missingField`, `notANumber`, `numberTooLarge`.
  @inline(__always)
  func double(
    _ field: @autoclosure () -> String, in record: TextRecord
  ) throws(RecordProblem) -> Double {
    let content = try content(.number, orElse: .notANumber, field(), in: record)
    return try record.number(content, of: field(), parseDouble)
  }

  /// Returns a member that must be an integer, in any notation.
  ///
  /// - Throws: `missingField`, `notAnInteger`, `numberTooLarge`.
  @inline(__always)
  func integer(
    _ field: @autoclosure () -> String, in record: TextRecord
  ) throws(RecordProblem) -> Int {
    let content = try content(.number, orElse: .notAnInteger, field(), in: record)
    return try record.number(content, of: field(), parseInteger)
  }
}
