import LayoutReplication

/// A step of a simulated node: a call of a client, background work, or a failure.
package enum SimulatedStep: CaseIterable, Hashable, Sendable {
  /// A client's batch, proposed until its outcome is known or the client gives up.
  case propose
  case query
  /// Prepares layouts, which pins stable ones.
  case prepare
  case setLayout
  /// A client's import of few or many items, into an existing or a new dataset.
  case importItems
  /// The node follows the log to its end.
  case poll
  /// Publishes an archive of the dataset, and cuts the log.
  case checkpoint
  /// Evicts the dataset from the node's disk.
  case evict
  /// Damages the stored data of a layout.
  case damage
  /// Restarts the process: the memory is lost, the file stays.
  case restart
  /// A client creates, removes or renames a dataset.
  case create, remove, rename
  /// Makes checkpoints that are due, and evicts datasets that are not in use.
  case upkeep
}

/// The description of the nodes that a simulation runs.
package struct SimulatedProgram {
  /// The relative frequencies of steps; missing steps are never taken.
  var weights: [SimulatedStep: Int]
  /// The number of further datasets, which steps create.
  var unmadeCount = 0
  /// The cost of entries after the newest checkpoint from which on the next one is due; `nil` if
  /// the nodes make none by themselves.
  var dueCost: Int?
  /// Creates a node with an empty disk.
  var makeNode: (SimulatedLogHandle, SimulatedClients) throws -> SimulatedClusterNode
  /// Returns the name of the client's write that an entry is the request of; see
  /// ``SimulatedClients/write(to:session:_:)``.
  var write: (SharedEntry) -> String?
  /// Whether an entry is a request of an import.
  var isImport: (SharedEntry) -> Bool
  /// Returns the outcomes of a dataset's entries.
  var decide: (LogState.Dataset) throws -> [ClusterReplay.Decision]
  /// Returns the digest of the answer to a question at a sequence of a dataset, computed from
  /// its entries alone.
  var replay: (LogState.Dataset, Int, String) -> String?
}
