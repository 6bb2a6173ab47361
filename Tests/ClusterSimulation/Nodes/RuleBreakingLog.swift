import ClusterTestSupport
package import LayoutCache
package import LayoutCluster

/// What a node sees of a log that tells it one thing wrong: as if the node broke a rule.
package struct RuleBreakingLog: ForwardingLog {
  package enum Rule: CaseIterable, Sendable {
    /// What is read counts without a barrier behind it.
    case believesReads
    /// An append whose answer is lost counts as refused.
    case takesUnknownForRefused
    /// An append whose answer is lost counts as done.
    case takesUnknownForDone
  }

  package let base: any SharedLogStore
  private let broken: Rule

  package init(_ base: SimulatedLogHandle, breaking rule: Rule) {
    self.base = base
    broken = rule
  }

  package func read<R>(
    node: [UInt8], _ body: (any SharedLogReader) throws -> R
  ) throws -> R {
    let result = try body(base)
    if broken != .believesReads { try base.barrier(node: node) }
    return result
  }

  package func append(
    _ entries: [SharedEntry], behind position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    do {
      return try base.append(entries, behind: position, epoch: epoch)
    } catch SharedLogFailure.isUnknown(let reason) {
      switch broken {
      case .takesUnknownForRefused: throw SharedLogFailure.isAway(reason)
      case .takesUnknownForDone: return .isDone
      case .believesReads: throw SharedLogFailure.isUnknown(reason)
      }
    }
  }
}
