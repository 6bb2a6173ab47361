/// A call of a client on one dataset, and its outcome.
///
/// As JSON it is one flat object. A write:
/// `{"session":"a","begin":10,"end":20,"dataset":"7","write":"w1","outcome":"committed",
/// "sequence":3,"revision":2}`; a read: `{"session":"a","begin":30,"end":31,"dataset":"7",
/// "read":"phone","sequence":3,"revision":2,"chain":"0a1b","digest":"9f","age":120}`.
///
/// All clients of a history share one monotonic clock, in any unit.
package struct ClientOperation: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// Acknowledged, with its position in the log.
    case committed(sequence: Int, revision: Int)
    /// The client was told that the write had no effect.
    case refused
    /// The client was told that the outcome is unknown, or got no answer.
    case unknown
  }

  package struct Reading: Hashable, Sendable {
    /// The question: all reads of one question at one position return the same answer.
    package var question: String
    /// The position that the answer's token names.
    package var sequence: Int
    package var revision: Int
    /// The chain at that position; `nil` if the client does not know it.
    package var chain: String?
    /// The digest of the answer.
    package var digest: String
    /// The maximum age of the state that the answer states, in the clock's unit; `nil` if it
    /// states none.
    package var age: Int64?

    package init(
      question: String, sequence: Int, revision: Int, chain: String?, digest: String,
      age: Int64?
    ) {
      (self.question, self.sequence, self.revision) = (question, sequence, revision)
      (self.chain, self.digest, self.age) = (chain, digest, age)
    }
  }

  package enum Action: Hashable, Sendable {
    /// A write, with the name that its entry has in the log; see ``LoggedEntry/write``.
    case write(String, Outcome)
    case read(Reading)
  }

  /// The client session. Each call of a session requires at least the state that the previous
  /// one saw.
  package var session: String
  package var begin: Int64
  /// The time of the answer; `nil` if there was none.
  package var end: Int64?
  /// The permanent ID of the dataset: a dataset re-created under the same name has another.
  package var dataset: String
  package var action: Action

  package init(
    session: String, begin: Int64, end: Int64?, dataset: String, action: Action
  ) {
    (self.session, self.begin, self.end, self.dataset) = (session, begin, end, dataset)
    self.action = action
  }
}

extension ClientOperation: CustomStringConvertible {
  package var description: String {
    let call = "\(session), \(begin) to \(end.map(String.init) ?? "?"), dataset \(dataset): "
    switch action {
    case .write(let write, let outcome): return call + "write \(write), \(outcome)"
    case .read(let reading):
      let age = reading.age.map { ", \($0) old" } ?? ""
      return call + "read \(reading.question) at \(reading.sequence), "
        + "revision \(reading.revision), chain \(reading.chain ?? "?")\(age): \(reading.digest)"
    }
  }
}

/// An entry of the final log, as far as it concerns clients.
///
/// `{"dataset":"7","sequence":3,"revision":2,"chain":"0a1b","write":"w1"}`. Entry 0, of
/// revision 1, creates the dataset.
package struct LoggedEntry: Codable, Hashable, Sendable {
  package var dataset: String
  package var sequence: Int
  package var revision: Int
  package var chain: String
  /// The client's write that it applies; `nil` if a node has proposed the entry by itself.
  package var write: String?

  package init(
    dataset: String, sequence: Int, revision: Int, chain: String, write: String?
  ) {
    (self.dataset, self.sequence, self.revision, self.chain) = (dataset, sequence, revision, chain)
    self.write = write
  }
}

extension LoggedEntry: CustomStringConvertible {
  package var description: String {
    "dataset \(dataset), entry \(sequence): revision \(revision), chain \(chain), "
      + (write.map { "write \($0)" } ?? "no client's write")
  }
}
