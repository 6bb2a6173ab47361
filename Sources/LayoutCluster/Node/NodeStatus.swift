import Synchronization

/// A node's counters since its start, and its last view of the log.
struct NodeCounts {
  var appendCount = 0
  var proposedCount = 0
  var behindCount = 0
  var lockedCount = 0
  var unknownCount = 0
  var acceptedCount = 0
  var checkpointCount = 0
  var evictedCount = 0
  var lostTailCount = 0
  var failedFollowCount = 0
  var quarantineCount = 0
  var failedUpkeepCount = 0
  /// The number of entries that the node lacked at the last poll, over all polled datasets.
  var lag = 0
  var lookedAt: Duration?
  var rules: Int?
  var isReplicated: Bool?
  /// The reason why the node does not support the log's format; `nil` if it does.
  var incompatibility: String?
  var isNameReplaced = false

  mutating func note(_ outcome: SharedAppending, entryCount: Int) {
    switch outcome {
    case .appended:
      appendCount += 1
      proposedCount += entryCount
    case .behind: behindCount += 1
    case .locked: lockedCount += 1
    }
  }
}

/// The status of a node.
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
  /// The node's counters since its start, each with one sentence for operators.
  package var counters: [(name: String, value: Int, help: String)]
}

extension ClusterNode {
  package func status() -> NodeStatus {
    let counts = count { $0 }
    let away = contact.withLock { contact -> String? in
      if case .unavailable(_, let reason) = contact { return reason }
      return contact.reasonNotToTry(at: options.now())
    }
    let residents = residents()
    return NodeStatus(
      title: options.title, log: log, awayReason: away,
      lookAge: counts.lookedAt.map { options.now() - $0 },
      isReplicated: counts.isReplicated, rules: counts.rules, rulesAreKnown: reasonOfRules == nil,
      isNameReplaced: counts.isNameReplaced,
      residentCount: residents.count,
      quarantined: residents.filter { $0.status { $0.quarantined != nil } }.map(\.dataset)
        .sorted(),
      forked: residents.filter { $0.status { $0.fork != nil } }.map(\.dataset).sorted(),
      lag: counts.lag,
      counters: [
        ("appends", counts.appendCount, "Groups of entries that this node has appended."),
        ("proposed_entries", counts.proposedCount, "Entries that this node has appended."),
        ("lost_races", counts.behindCount, "Appends rejected because of other entries."),
        ("locked_appends", counts.lockedCount, "Appends left out because of another's lock."),
        ("unknown_appends", counts.unknownCount, "Appends whose outcome was unknown."),
        ("accepted_entries", counts.acceptedCount, "Entries applied to this node's replicas."),
        ("checkpoints", counts.checkpointCount, "Archives that this node has stored in the log."),
        ("evictions", counts.evictedCount, "Replicas that this node has deleted."),
        ("lost_tails", counts.lostTailCount, "Times that the log had lost applied entries."),
        ("failed_follows", counts.failedFollowCount, "Failed attempts to follow a dataset."),
        ("quarantines", counts.quarantineCount, "Datasets that this node could not follow."),
        ("failed_upkeep", counts.failedUpkeepCount, "Failures of checkpoints and evictions."),
      ])
  }

  /// Reads the log's properties and heads, and records whether the node may use the log.
  func look(at datasets: [Int64]) throws -> SharedLook {
    let look: SharedLook
    do {
      look = try probe { try $0.look(at: datasets) }
    } catch SharedLogFailure.incompatible(let reason) {
      // The log was migrated to a format that this version does not support.
      count { $0.incompatibility = reason }
      throw SharedLogFailure.incompatible(reason)
    }
    let isReplaced = look.info.isNameReplaced
    let wasReplaced = count { counts in
      counts.incompatibility = nil
      defer { counts.isNameReplaced = isReplaced }
      return counts.isNameReplaced
    }
    if isReplaced, !wasReplaced { options.report(.nameReplaced) }
    return look
  }

  /// The reason why the node does not support the log's format or layout rules; `nil` if it does.
  var reasonOfRules: String? {
    if let reason = count({ $0.incompatibility }) { return reason }
    guard let rules = count({ $0.rules }), !options.rules.contains(rules) else {
      return nil
    }
    return "the log uses version \(rules) of the layout rules; this node supports "
      + "\(options.rules.lowerBound) to \(options.rules.upperBound)"
  }
}
