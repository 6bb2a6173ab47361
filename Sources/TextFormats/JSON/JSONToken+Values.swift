extension JSONToken {
  /// The text of a member that must be a string.
  ///
  /// - Parameters:
  ///   - field: The member's name in problems.
  ///   - bytes: The text that the token is a part of.
  /// - Throws: `missingField`, `notAString`.
  @inline(__always)
  func string(
    _ field: @autoclosure () -> String, in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> String {
    switch kind {
    case .absent: throw .missing(field(), line: line)
    case .string: return text(in: bytes)
    default: throw .notAString(field(), content(in: bytes), line: line)
    }
  }

  /// The double nearest to a member that must be a number.
  ///
  /// - Throws: `missingField`, `notANumber`, `numberTooLarge`.
  @inline(__always)
  func double(
    _ field: @autoclosure () -> String, in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> Double {
    switch kind {
    case .absent: throw .missing(field(), line: line)
    case .number: break
    default: throw .number(.notANumber, field(), content(in: bytes), line: line)
    }
    do {
      return try parseDouble(content(in: bytes))
    } catch {
      throw .number(error, field(), content(in: bytes), line: line)
    }
  }

  /// A member that must be a whole number, however it is written.
  ///
  /// - Throws: `missingField`, `notAnInteger`, `numberTooLarge`.
  @inline(__always)
  func integer(
    _ field: @autoclosure () -> String, in bytes: UnsafeRawBufferPointer, line: Int
  ) throws(RecordProblem) -> Int {
    switch kind {
    case .absent: throw .missing(field(), line: line)
    case .number: break
    default: throw .number(.notAnInteger, field(), content(in: bytes), line: line)
    }
    do {
      return try parseInteger(content(in: bytes))
    } catch {
      throw .number(error, field(), content(in: bytes), line: line)
    }
  }
}
