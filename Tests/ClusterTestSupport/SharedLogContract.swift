package import LayoutCluster

/// What holds for every kind of shared log, clause by clause.
///
/// The clauses are plain functions, so that any test target runs them: each wants a log of its
/// own, without datasets and archives.
package struct SharedLogContract: Sendable, CustomStringConvertible {
  package let name: String
  /// Whether several threads call the log: not for one that is simulated in a single thread.
  package let needsThreads: Bool
  /// - Throws: ``BrokenContract``, or what a call has thrown.
  package let check: @Sendable (any SharedLog) throws -> Void

  init(
    name: String, needsThreads: Bool = false,
    check: @escaping @Sendable (any SharedLog) throws -> Void
  ) {
    self.name = name
    self.needsThreads = needsThreads
    self.check = check
  }

  package var description: String { name }

  package static let clauses: [SharedLogContract] = datasets + entries + gathered + archives
}

/// A clause that a log does not keep.
package struct BrokenContract: Error, CustomStringConvertible {
  package let description: String
}

/// Throws where a condition does not hold.
func demand(
  _ condition: Bool, _ message: @autoclosure () -> String, line: Int = #line,
  file: String = #fileID
) throws {
  if !condition { throw BrokenContract(description: "\(file):\(line): \(message())") }
}

/// Throws where two values differ.
func demand<Value: Equatable>(
  _ value: Value, is expected: Value, line: Int = #line, file: String = #fileID
) throws {
  try demand(value == expected, "\(value) should be \(expected)", line: line, file: file)
}

/// Throws where `body` throws no ``SharedLogFailure``.
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
