package import LayoutCluster

/// The contract of every kind of shared log, clause by clause.
///
/// The clauses are plain functions, so that any test target can run them. Each needs a separate
/// log without datasets and archives.
package struct SharedLogContract: Sendable, CustomStringConvertible {
  package let name: String
  /// Whether several threads call the log; such clauses cannot run on a log simulated in one
  /// thread.
  package let needsThreads: Bool
  /// - Throws: ``BrokenContract``, or the error of a call.
  package let check: @Sendable (any SharedLog) throws -> Void

  init(
    name: String, needsThreads: Bool = false,
    check: @escaping @Sendable (any SharedLog) throws -> Void
  ) {
    (self.name, self.needsThreads, self.check) = (name, needsThreads, check)
  }

  package var description: String { name }

  package static let clauses: [SharedLogContract] = datasets + entries + gathered + archives
}

/// A clause that a log breaks.
package struct BrokenContract: Error, CustomStringConvertible {
  package let description: String
}

/// Throws if a condition does not hold.
func demand(
  _ condition: Bool, _ message: @autoclosure () -> String, line: Int = #line,
  file: String = #fileID
) throws {
  if !condition { throw BrokenContract(description: "\(file):\(line): \(message())") }
}

/// Throws if two values differ.
func demand<Value: Equatable>(
  _ value: Value, is expected: Value, line: Int = #line, file: String = #fileID
) throws {
  try demand(value == expected, "\(value) should be \(expected)", line: line, file: file)
}

/// Throws if `body` throws no ``SharedLogFailure``.
func demandFailure(
  line: Int = #line, file: String = #fileID, _ body: () throws -> Void
) throws {
  do {
    try body()
  } catch is SharedLogFailure {
    return
  }
  try demand(false, "nothing was thrown", line: line, file: file)
}
