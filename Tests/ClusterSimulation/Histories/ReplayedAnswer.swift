/// The precomputed answer of a replay of a dataset's log to a question at a position.
///
/// `{"dataset":"7","sequence":3,"question":"phone","digest":"9f"}`.
package struct ReplayedAnswer: Codable, Hashable, Sendable {
  package var dataset: String
  package var sequence: Int
  package var question: String
  package var digest: String

  package init(dataset: String, sequence: Int, question: String, digest: String) {
    (self.dataset, self.sequence, self.question) = (dataset, sequence, question)
    self.digest = digest
  }
}

extension History {
  /// Returns all violations of the history, with its reads checked against the given answers.
  ///
  /// - Parameter answers: NDJSON of ``ReplayedAnswer``.
  /// - Throws: ``UnreadableLine``.
  package func violations(answers: String) throws -> [HistoryViolation] {
    struct Asked: Hashable {
      var dataset: String
      var sequence: Int
      var question: String
    }
    var digests: [Asked: String] = [:]
    for answer in try Self.decode(answers, of: "answers") as [ReplayedAnswer] {
      let asked = Asked(
        dataset: answer.dataset, sequence: answer.sequence, question: answer.question)
      digests[asked] = answer.digest
    }
    return HistoryChecker.violations(of: self) { dataset, sequence, question in
      digests[Asked(dataset: dataset, sequence: sequence, question: question)]
    }
  }
}
