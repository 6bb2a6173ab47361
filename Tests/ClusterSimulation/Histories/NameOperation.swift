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
  /// operation's time. A removal may also be done by another client.
  static func violations(
    of operations: [NameOperation], in changes: [NameChange]
  ) -> [String] {
    operations.compactMap { operation in
      let during = changes.filter { change in
        change.kind == operation.kind && operation.begin <= change.call.time
          && change.call.time <= operation.end ?? .max
      }
      let own = during.filter { $0.call.node == operation.node }
      if operation.end != nil && own.count > 1 {
        return "a change of names is made twice: \(operation)"
      }
      switch operation.outcome {
      case .unknown: return nil
      case .refused: return own.isEmpty ? nil : "a rejected change of names is made: \(operation)"
      case .done:
        let isOther = if case .removed = operation.kind { true } else { false }
        return (isOther ? during : own).isEmpty
          ? "an acknowledged change of names is missing: \(operation)" : nil
      }
    }
  }
}

/// A read or write by a name.
struct NamedAccess: Sendable {
  var name: String
  var dataset: Int64
  /// The earliest time of the state that was read or changed.
  var time: Int64
}

extension NameOperation {
  /// Returns the accesses to datasets that no longer had the name, since its loss had been
  /// acknowledged before.
  static func violations(
    by accesses: [NamedAccess], after operations: [NameOperation], _ changes: [NameChange]
  ) -> [String] {
    accesses.compactMap { access in
      let own = changes.filter { $0.dataset == access.dataset }
      let isLost = own.indices.contains { index in
        switch own[index].kind {
        case .removed(access.name), .renamed(access.name, _): break
        default: return false
        }
        // The dataset may get the name back.
        let isBack = own[index...].contains { change in
          if case .renamed(_, access.name) = change.kind { true } else { false }
        }
        return !isBack
          && operations.contains { operation in
            guard operation.outcome == .done, let end = operation.end else { return false }
            return operation.kind == own[index].kind && operation.node == own[index].call.node
              && (operation.begin...end).contains(own[index].call.time) && end < access.time
          }
      }
      return isLost ? "an access to a dataset that has lost the name: \(access)" : nil
    }
  }
}
