import Synchronization

/// A node's counters since its start. Each change increases some, so they are not under a lock.
struct NodeCounters: Sendable {
  let appends = NodeCounter("appends", "Groups of entries that this node has appended.")
  let proposed = NodeCounter("proposed_entries", "Entries that this node has appended.")
  let locked = NodeCounter("locked_appends", "Appends left out because of another's lock.")
  let unknown = NodeCounter("unknown_appends", "Appends whose outcome was unknown.")
  let accepted = NodeCounter("accepted_entries", "Entries decided by this node.")
  let rejected = NodeCounter("rejected_entries", "Decided entries that were rejected.")
  let checkpoints = NodeCounter("checkpoints", "Archives stored in the log by this node.")
  let evictions = NodeCounter("evictions", "Replicas that this node has deleted.")
  let lostTails = NodeCounter("lost_tails", "Times that the log had lost applied entries.")
  let failedFollows = NodeCounter("failed_follows", "Failed attempts to follow a dataset.")
  let quarantines = NodeCounter("quarantines", "Datasets that this node could not follow.")
  let failedUpkeep = NodeCounter("failed_upkeep", "Failures of checkpoints and evictions.")

  var all: [NodeCounter] {
    [
      appends, proposed, locked, unknown, accepted, rejected, checkpoints, evictions, lostTails,
      failedFollows, quarantines, failedUpkeep,
    ]
  }
}

package final class NodeCounter: Sendable {
  package let name: String
  /// One sentence for operators.
  package let help: String
  private let number = Atomic(0)

  fileprivate init(_ name: String, _ help: String) { (self.name, self.help) = (name, help) }

  package var value: Int { number.load(ordering: .relaxed) }

  func add(_ count: Int = 1) { number.add(count, ordering: .relaxed) }
}

/// A node's last view of the log.
struct LogView {
  /// The number of entries that the node lacked at the last poll, over all polled datasets.
  var lag = 0
  var lookedAt: Duration?
  var rules: Int?
  var isReplicated: Bool?
  /// The reason why the node does not support the log's format; `nil` if it does.
  var incompatibility: String?
  var isNameReplaced = false
}

package struct NodeStatus: Sendable {
  /// The node's display name.
  package var title: String
  /// The name of the log.
  package var log: [UInt8]
  /// The reason why the log is unavailable; `nil` if it is available.
  package var awayReason: String?
  /// The time since the last poll; `nil` if there was none.
  package var lookAge: Duration?
  /// Whether the log's commits wait for a standby; `nil` if unknown.
  package var isReplicated: Bool?
  /// The version of the layout rules in effect; `nil` if unknown.
  package var rules: Int?
  package var rulesAreKnown: Bool
  /// Whether a process that started later has the node's name.
  package var isNameReplaced: Bool
  package var residentCount: Int
  /// The names of the quarantined datasets, which the node cannot follow.
  package var quarantined: [String]
  /// The names of the datasets of which the log has lost entries that the node had applied.
  package var forked: [String]
  /// The number of entries that the node lacked at the last poll.
  package var lag: Int
  /// The node's counters since its start.
  package var counters: [NodeCounter]
}

extension ClusterNode {
  package func status() -> NodeStatus {
    let view = view.withLock { $0 }
    let away = availability.withLock { availability -> String? in
      if case .unavailable(_, let reason) = availability { return reason }
      return availability.reasonNotToTry(at: options.now())
    }
    let residents = residents()
    return NodeStatus(
      title: options.title, log: log, awayReason: away,
      lookAge: view.lookedAt.map { options.now() - $0 },
      isReplicated: view.isReplicated, rules: view.rules, rulesAreKnown: reasonOfRules == nil,
      isNameReplaced: view.isNameReplaced, residentCount: residents.count,
      quarantined: residents.filter { $0.status { $0.quarantined != nil } }.map(\.dataset)
        .sorted(),
      forked: residents.filter { $0.status { $0.fork != nil } }.map(\.dataset).sorted(),
      lag: view.lag,
      counters: counters.all)
  }

  /// Reads the log's properties and heads, and records whether the node may use the log.
  func look(at datasets: [Int64]) throws -> SharedLook {
    let look: SharedLook
    do {
      look = try probe { try $0.look(at: datasets) }
    } catch SharedLogFailure.incompatible(let reason) {
      // The log was migrated to a format that this version does not support.
      view.withLock { $0.incompatibility = reason }
      throw SharedLogFailure.incompatible(reason)
    }
    let isReplaced = look.info.isNameReplaced
    let wasReplaced = view.withLock { view in
      view.incompatibility = nil
      defer { view.isNameReplaced = isReplaced }
      return view.isNameReplaced
    }
    if isReplaced, !wasReplaced { options.report(.nameReplaced) }
    return look
  }

  /// The reason why the node does not support the log's format or layout rules; `nil` if it does.
  var reasonOfRules: String? {
    let (reason, rules) = view.withLock { ($0.incompatibility, $0.rules) }
    if let reason { return reason }
    guard let rules, !options.rules.contains(rules) else { return nil }
    return "the log uses version \(rules) of the layout rules; this node supports "
      + "\(options.rules.lowerBound) to \(options.rules.upperBound)"
  }
}
