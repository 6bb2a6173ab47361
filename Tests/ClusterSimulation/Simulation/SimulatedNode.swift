import LayoutCache
package import LayoutReplication
package import TestSupport

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

/// A node that a ``Simulation`` runs: the production node, or one that is wrong on purpose.
///
/// Its calls of the log may throw ``Killed``, which it must pass on; then ``restart()`` is
/// called. While one of its steps waits for the log, it takes no other step.
package protocol SimulatedNode: AnyObject {
  /// Takes a step, and records the observations of clients in ``SimulatedClients``.
  ///
  /// - Throws: ``Killed``, and `SharedLogFailure` if it gives up. Any other error is a finding
  ///   of the simulation.
  func carryOut(
    _ step: SimulatedStep, on dataset: String, using generator: inout SeededGenerator
  ) throws

  /// Starts again with its stored data.
  func restart() throws

  /// Follows all datasets to the end of the log, which no longer has faults.
  func follow(_ datasets: [String]) throws

  /// Returns its answer and position, without calling the log.
  func answer(of dataset: String) throws -> ClientOperation.Reading

  /// Makes the checkpoints that are due.
  func keepUp() throws

  /// The number of times that the node has lost its memory or a dataset.
  var life: Int { get }

  /// Returns the node's answer to a client that has seen a state, perhaps at another node.
  ///
  /// - Returns: `nil` if it does not have the dataset.
  func answer(to sighting: Sighting) throws -> Sighting.Answer?
}

extension SimulatedNode {
  package func keepUp() throws {}

  package var life: Int { 0 }

  package func answer(to sighting: Sighting) throws -> Sighting.Answer? { nil }
}

/// The description of the nodes that a simulation runs.
package struct SimulatedProgram {
  /// Creates a node with an empty disk.
  package var makeNode: (SimulatedLogHandle, SimulatedClients) throws -> any SimulatedNode
  /// Returns the name of the client's write that an entry applies; see
  /// ``SimulatedClients/write(to:session:_:)``.
  package var write: (SharedEntry) -> String?
  /// Returns the digest of the answer to a question at a sequence of a dataset, computed from
  /// its entries alone.
  package var replay: (LogState.Dataset, Int, String) -> String?
  /// The relative frequencies of steps; missing steps are never taken.
  package var weights: [SimulatedStep: Int]
  /// The number of further datasets, which steps create.
  package var unmadeCount: Int
  /// The cost of entries after the newest checkpoint from which on the next one is due; `nil` if
  /// the nodes make none by themselves.
  package var dueCost: Int?

  package init(
    weights: [SimulatedStep: Int], unmadeCount: Int = 0, dueCost: Int? = nil,
    makeNode: @escaping (SimulatedLogHandle, SimulatedClients) throws -> any SimulatedNode,
    write: @escaping (SharedEntry) -> String?,
    replay: @escaping (LogState.Dataset, Int, String) -> String?
  ) {
    self.weights = weights
    self.unmadeCount = unmadeCount
    self.dueCost = dueCost
    self.makeNode = makeNode
    self.write = write
    self.replay = replay
  }
}
