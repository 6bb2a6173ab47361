/// A call of a client on one dataset, and what came of it.
///
/// As JSON one flat object. A write:
/// `{"session":"a","begin":10,"end":20,"dataset":"7","write":"w1","outcome":"committed",
/// "sequence":3,"revision":2}`; a read: `{"session":"a","begin":30,"end":31,"dataset":"7",
/// "read":"phone","sequence":3,"revision":2,"chain":"0a1b","digest":"9f","age":120}`.
///
/// Times are of one monotonic clock that all clients of a history share, in any unit.
package struct ClientOperation: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// Acknowledged, with its place in the log.
    case committed(sequence: Int, revision: Int)
    /// The client was told that nothing was done.
    case refused
    /// The client was told that it may have been done, or was told nothing.
    case unknown
  }

  package struct Reading: Hashable, Sendable {
    /// What was asked for: reads of one question at one position answer alike.
    package var question: String
    /// The position that the answer's token names.
    package var sequence: Int
    package var revision: Int
    /// Of that position; `nil` where the client can't tell.
    package var chain: String?
    /// Of the answer.
    package var digest: String
    /// How old the state is at most, as the answer says, in the clock's unit; `nil` where it
    /// does not say.
    package var age: Int64?

    package init(
      question: String, sequence: Int, revision: Int, chain: String?, digest: String,
      age: Int64?
    ) {
      self.question = question
      self.sequence = sequence
      self.revision = revision
      self.chain = chain
      self.digest = digest
      self.age = age
    }
  }

  package enum Action: Hashable, Sendable {
    /// A write, with the name that its entry has in the log; see ``LoggedEntry/write``.
    case write(String, Outcome)
    case read(Reading)
  }

  /// Whose call it is. A session's calls never go back: each asks for what the last one saw.
  package var session: String
  package var begin: Int64
  /// When the answer came; `nil` where none did.
  package var end: Int64?
  /// What names the dataset for good: one of the same name made again is another.
  package var dataset: String
  package var action: Action

  package init(
    session: String, begin: Int64, end: Int64?, dataset: String, action: Action
  ) {
    self.session = session
    self.begin = begin
    self.end = end
    self.dataset = dataset
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

/// An entry of the final log, as far as clients have to do with it.
///
/// `{"dataset":"7","sequence":3,"revision":2,"chain":"0a1b","write":"w1"}`. The dataset's
/// making is the entry 0, of revision 1.
package struct LoggedEntry: Codable, Hashable, Sendable {
  package var dataset: String
  package var sequence: Int
  package var revision: Int
  package var chain: String
  /// The client's write that it carries out; `nil` where a node has proposed it by itself.
  package var write: String?

  package init(
    dataset: String, sequence: Int, revision: Int, chain: String, write: String?
  ) {
    self.dataset = dataset
    self.sequence = sequence
    self.revision = revision
    self.chain = chain
    self.write = write
  }
}

extension LoggedEntry: CustomStringConvertible {
  package var description: String {
    "dataset \(dataset), entry \(sequence): revision \(revision), chain \(chain), "
      + (write.map { "write \($0)" } ?? "no client's write")
  }
}
