/// Finds violations of linearizability in a history, without a search: the log is the order.
///
/// Every operation with a known position has a place in its dataset's log: a write at its
/// entry, a read at its position. The checks compare these places with times.
///
/// - Complexity: O(n log n) for n operations and entries, plus one replay for each question at
///   each position that was read.
package struct HistoryChecker {
  /// Returns the digest of the answer to a question from a dataset's entries up to a sequence;
  /// `nil` if it is unknown: then reads are only compared with each other.
  package typealias Replay =
    (_ dataset: String, _ sequence: Int, _ question: String) -> String?

  let operations: [ClientOperation]
  /// The entries by dataset, in the order of their sequences.
  let log: [String: [LoggedEntry]]
  /// The entries of each write, by its dataset and name.
  let entries: [WriteName: [LoggedEntry]]
  var violations: [HistoryViolation] = []

  struct WriteName: Hashable {
    var dataset: String
    var write: String
  }

  /// Returns all violations of a history; empty if it is correct.
  package static func violations(of history: History, replay: Replay) -> [HistoryViolation] {
    var checker = HistoryChecker(history)
    checker.checkLog()
    checker.checkWrites()
    checker.checkReads(replay)
    checker.checkOrder()
    return checker.violations
  }

  private init(_ history: History) {
    operations = history.operations
    var log: [String: [LoggedEntry]] = [:]
    var entries: [WriteName: [LoggedEntry]] = [:]
    for entry in history.log {
      log[entry.dataset, default: []].append(entry)
      if let write = entry.write {
        entries[WriteName(dataset: entry.dataset, write: write), default: []].append(entry)
      }
    }
    self.log = log.mapValues { $0.sorted { $0.sequence < $1.sequence } }
    self.entries = entries
  }

  // MARK: The log

  private mutating func checkLog() {
    for (_, entries) in log.sorted(by: { $0.key < $1.key }) {
      for (index, entry) in entries.enumerated() {
        guard index > 0 else {
          if entry.sequence != 0 || entry.revision != 1 {
            violations.append(
              HistoryViolation(.denseLog, "the log does not begin at 0", entries: [entry]))
          }
          continue
        }
        let before = entries[index - 1]
        if entry.sequence != before.sequence + 1
          || !(0...1).contains(entry.revision - before.revision)
        {
          violations.append(
            HistoryViolation(
              .denseLog, "these do not follow on each other", entries: [before, entry]))
        }
      }
    }
  }

  // MARK: Writes

  private mutating func checkWrites() {
    var asked: Set<WriteName> = []
    for operation in operations {
      guard case .write(let write, let outcome) = operation.action else { continue }
      let name = WriteName(dataset: operation.dataset, write: write)
      asked.insert(name)
      let found = entries[name] ?? []
      guard let (rule, reason) = breach(by: outcome, found) else { continue }
      violations.append(HistoryViolation(rule, reason, operations: [operation], entries: found))
    }
    for (name, found) in entries.sorted(by: { $0.key.write < $1.key.write })
    where !asked.contains(name) {
      violations.append(
        HistoryViolation(.askedFor, "no client has requested \(name.write)", entries: found))
    }
  }

  private func breach(
    by outcome: ClientOperation.Outcome, _ found: [LoggedEntry]
  ) -> (HistoryRule, String)? {
    switch outcome {
    case .committed(let sequence, let revision):
      guard found.count == 1 else {
        return (.committedOnce, "an acknowledged write is in the log \(found.count) times")
      }
      guard found[0].sequence == sequence, found[0].revision == revision else {
        return (.committedOnce, "an acknowledged write is elsewhere in the log")
      }
    case .refused where !found.isEmpty: return (.refusedNever, "a rejected write is in the log")
    case .unknown where found.count > 1:
      return (.unknownAtMostOnce, "a write is in the log \(found.count) times")
    case .refused, .unknown: break
    }
    return nil
  }

  // MARK: Reads

  private struct Question: Hashable {
    var dataset: String
    var sequence: Int
    var question: String
  }

  private mutating func checkReads(_ replay: Replay) {
    // The first read of each question, and the expected answer.
    var answers: [Question: (operation: ClientOperation, digest: String)] = [:]
    for operation in operations {
      guard case .read(let reading) = operation.action else { continue }
      guard checkPosition(of: reading, in: operation) else { continue }
      let question = Question(
        dataset: operation.dataset, sequence: reading.sequence, question: reading.question)
      if let answer = answers[question] {
        if reading.digest != answer.digest {
          let reason = "not what is answered there: \(answer.digest)"
          violations.append(
            HistoryViolation(.answer, reason, operations: [answer.operation, operation]))
        }
        continue
      }
      let replayed = replay(question.dataset, question.sequence, question.question)
      answers[question] = (operation, replayed ?? reading.digest)
      if let replayed, replayed != reading.digest {
        violations.append(
          HistoryViolation(.answer, "a replay answers \(replayed)", operations: [operation]))
      }
    }
  }

  /// Returns whether the reading's position is in the log, and records a violation if not.
  private mutating func checkPosition(
    of reading: ClientOperation.Reading, in operation: ClientOperation
  ) -> Bool {
    let entries = log[operation.dataset] ?? []
    let index = reading.sequence - (entries.first?.sequence ?? 0)
    let entry = entries.indices.contains(index) ? entries[index] : nil
    if let entry, entry.revision == reading.revision, entry.sequence == reading.sequence,
      reading.chain == nil || reading.chain == entry.chain
    {
      return true
    }
    violations.append(
      HistoryViolation(
        .position, "the log has no such position", operations: [operation],
        entries: entry.map { [$0] } ?? []))
    return false
  }
}
