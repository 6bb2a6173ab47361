/// A rule that a history must meet.
package enum HistoryRule: String, CaseIterable, Codable, Sendable {
  /// A dataset's entries are numbered without gaps, and each raises the revision by one or
  /// leaves it unchanged.
  case denseLog
  /// A write that a client was told is committed is in the log exactly once, at the stated
  /// position.
  case committedOnce
  /// A write of unknown outcome is in the log at most once.
  case unknownAtMostOnce
  /// A rejected write is not in the log.
  case refusedNever
  /// Every write in the log was requested by a client.
  case askedFor
  /// A write that began after another had ended follows it in the log, and a write that began
  /// after a state was seen is not part of that state.
  case realTime
  /// A read's position is in the log, with its revision and chain.
  case position
  /// A read's answer equals that of a replay of the log up to its position.
  case answer
  /// The state that a session sees never goes back.
  case session
  /// A read's state contains everything that had been acknowledged or seen by the time given by
  /// its stated age.
  case age
}

/// A rule that a history breaks, and the operations that break it.
package struct HistoryViolation: Hashable, Sendable, CustomStringConvertible {
  package var rule: HistoryRule
  package var reason: String
  package var operations: [ClientOperation]
  package var entries: [LoggedEntry]

  package init(
    _ rule: HistoryRule, _ reason: String, operations: [ClientOperation] = [],
    entries: [LoggedEntry] = []
  ) {
    (self.rule, self.reason, self.operations, self.entries) = (rule, reason, operations, entries)
  }

  package var description: String {
    (["\(rule.rawValue): \(reason)"] + operations.map { "  \($0)" } + entries.map { "  \($0)" })
      .joined(separator: "\n")
  }
}
