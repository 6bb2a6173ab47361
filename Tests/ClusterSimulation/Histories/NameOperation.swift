/// A client's change of the names, and its answer.
package struct NameOperation: Sendable {
  package enum Outcome: Hashable, Sendable {
    case done, refused, unknown
  }

  package var kind: NameChange.Kind
  /// The node that was called.
  package var node: Int
  package var begin: Int64
  /// The time of the answer; `nil` if there was none.
  package var end: Int64?
  package var outcome = Outcome.unknown

  /// Returns the violations by clients' operations, compared with the changes of the final log.
  ///
  /// A node makes one call at a time, so a change is the operation's if the node sent it in the
  /// operation's time. A removal or rename may also be done by another client.
  static func violations(
    of operations: [NameOperation], in changes: [NameChange]
  ) -> [String] {
    operations.compactMap { operation in
      let during = changes.filter { change in
        change.kind == operation.kind && operation.begin <= change.call.time
          && change.call.time <= operation.end ?? .max
      }
      let own = during.filter { $0.call.node == operation.node }
      switch operation.outcome {
      case .unknown: return nil
      case .refused: return own.isEmpty ? nil : "a rejected change of names is made: \(operation)"
      case .done:
        if case .created = operation.kind, own.isEmpty {
          return "an acknowledged dataset was not created: \(operation)"
        }
        return during.isEmpty ? "an acknowledged change of names is missing: \(operation)" : nil
      }
    }
  }
}
