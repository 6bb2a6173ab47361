import Synchronization

/// What a node has counted since it began, and what it knows of its log.
struct NodeCounts {
  var appendCount = 0
  var proposedCount = 0
  var behindCount = 0
  var unknownCount = 0
  var acceptedCount = 0
  var checkpointCount = 0
  var evictedCount = 0
  /// The entries that the log had more than the node at the last look, in all datasets looked at.
  var lag = 0
  var lookedAt: Duration?
  var rules: Int?
  var isReplicated: Bool?

  mutating func note(_ outcome: SharedAppending, entryCount: Int) {
    switch outcome {
    case .appended:
      appendCount += 1
      proposedCount += entryCount
    case .behind, .repeated, .deleted: behindCount += 1
    }
  }
}

/// How a node is.
package struct NodeStatus: Sendable {
  /// What people call the node.
  package var title: String
  /// The name of the log.
  package var log: [UInt8]
  /// Why the log can't be reached; `nil` where it can.
  package var awayReason: String?
  /// How long ago the log was last looked at; `nil` where it never was.
  package var lookAge: Duration?
  /// Whether the log's commits wait for a standby; `nil` where that is not known.
  package var isReplicated: Bool?
  /// The version of the layout rules in force; `nil` where it is not known.
  package var rules: Int?
  package var rulesAreKnown: Bool
  package var residentCount: Int
  /// The datasets that the node can't follow any more, by name.
  package var quarantined: [String]
  /// The entries that the log had more at the last look.
  package var lag: Int
  /// What the node has counted since it began, by name.
  package var counters: [(name: String, value: Int)]
}

extension ClusterNode {
  package func status() -> NodeStatus {
    let counts = count { $0 }
    let away = contact.withLock { $0.unavailableSince == nil ? nil : $0.reason }
    let residents = residents()
    return NodeStatus(
      title: options.title, log: log, awayReason: away,
      lookAge: counts.lookedAt.map { options.now() - $0 },
      isReplicated: counts.isReplicated, rules: counts.rules, rulesAreKnown: reasonOfRules == nil,
      residentCount: residents.count,
      quarantined: residents.filter { $0.status { $0.quarantined != nil } }.map(\.dataset)
        .sorted(),
      lag: counts.lag,
      counters: [
        ("appends", counts.appendCount), ("proposed_entries", counts.proposedCount),
        ("lost_races", counts.behindCount), ("unknown_appends", counts.unknownCount),
        ("accepted_entries", counts.acceptedCount), ("checkpoints", counts.checkpointCount),
        ("evictions", counts.evictedCount),
      ])
  }

  /// Why the node may not work with the log as it is; `nil` where it may.
  var reasonOfRules: String? {
    guard let rules = count({ $0.rules }), !options.rules.contains(rules) else {
      return nil
    }
    return "layout rules \(rules) are in force, and this version knows "
      + "\(options.rules.lowerBound) to \(options.rules.upperBound)"
  }
}
