/// A reader's requirements on the state it is answered from.
package struct ReadBounds: Hashable, Sendable {
  /// The minimum position of the state.
  package enum Least: Hashable, Sendable {
    case revision(Int)
    case position(PositionToken)
  }

  package var least: Least?
  /// The maximum age: the time since the state was last known to match the log.
  package var ageMax: Duration?

  package init(least: Least? = nil, ageMax: Duration? = nil) {
    (self.least, self.ageMax) = (least, ageMax)
  }

  var isNone: Bool { least == nil && ageMax == nil }
}

/// Admission to read a dataset from the node's cache.
package struct ReadLease: Sendable {
  private let node: ClusterNode
  private let queue: DatasetCommitQueue
  private let confirmed: Duration?
  private let beginCount: Int

  init(_ status: ReplicaStatus, _ queue: DatasetCommitQueue, of node: ClusterNode) {
    (self.node, self.queue) = (node, queue)
    confirmed = status.confirmed
    beginCount = status.beginCount
  }

  /// An upper bound on the age of the state that was read; `nil` if unknown. Read it when the
  /// answer is complete.
  package var age: Duration? { confirmed.map { node.options.now() - $0 } }

  /// A position of the dataset, no earlier than the state that was read.
  package var token: PositionToken? {
    queue.status { status in
      guard let promised = status.promised, let history = status.history else { return nil }
      return PositionToken(promised, of: history)
    }
  }

  /// The reason why the node cannot follow the dataset; `nil` if it can.
  package var quarantine: String? { queue.status { $0.quarantined?.reason } }

  /// Whether the dataset was not reloaded while the lease was held. If it was, the state may be
  /// older than the lease reports, and the reader must ask again.
  package var isGood: Bool { queue.status { $0.beginCount } == beginCount }
}
