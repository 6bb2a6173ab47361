/// What a history has to hold to.
package enum HistoryRule: String, CaseIterable, Codable, Sendable {
  /// A dataset's entries are numbered without a gap, and each raises the revision by one or
  /// not at all.
  case denseLog
  /// What a client was told is committed is in the log once, at the place that it was told.
  case committedOnce
  /// What a client knows nothing of is in the log at most once.
  case unknownAtMostOnce
  /// What was refused is not in the log.
  case refusedNever
  /// The log has nothing that no client has asked for.
  case askedFor
  /// What began when another had ended comes after it in the log, and what began when a
  /// state had been seen is not in that.
  case realTime
  /// A read's position is in the log, with its revision and chain.
  case position
  /// A read's answer is that of a replay of the log up to its position.
  case answer
  /// What a session sees never goes back.
  case session
  /// A read's state has all that had been acknowledged or seen when it was as old as it says.
  case age
}

/// A rule that a history breaks, and by what.
package struct HistoryViolation: Hashable, Sendable, CustomStringConvertible {
  package var rule: HistoryRule
  package var reason: String
  package var operations: [ClientOperation]
  package var entries: [LoggedEntry]

  package init(
    _ rule: HistoryRule, _ reason: String, operations: [ClientOperation] = [],
    entries: [LoggedEntry] = []
  ) {
    self.rule = rule
    self.reason = reason
    self.operations = operations
    self.entries = entries
  }

  package var description: String {
    (["\(rule.rawValue): \(reason)"] + operations.map { "  \($0)" } + entries.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
