package import LayoutCache
package import TestSupport

/// What a node of a simulation is asked for: by its clients, by its own clock, by accident.
package enum SimulatedStep: CaseIterable, Hashable, Sendable {
  /// A client's batch, which is proposed until its outcome is known or the client gives up.
  case propose
  case query
  /// Layouts are prepared, which pins stable ones.
  case prepare
  case setLayout
  /// A client's import: of few items or many, into a dataset that is there or not.
  case importItems
  /// The node follows the log as far as it goes.
  case poll
  /// An archive of the dataset is published, and the log cut.
  case checkpoint
  /// The dataset leaves the node's disk.
  case evict
  /// What the node has stored of a layout is damaged.
  case damage
  /// The process ends and starts again: the memory is gone, the file stays.
  case restart
}

/// A node that a ``Simulation`` runs: the one that ships, or one that is wrong on purpose.
///
/// Its calls of the log may throw ``Killed``, which it lets pass: ``restart()`` comes next.
/// While one of its steps waits for the log, none other of its own is taken.
package protocol SimulatedNode: AnyObject {
  /// Takes a step, and has ``SimulatedClients`` record what clients see of it.
  ///
  /// - Throws: ``Killed``, and `SharedLogFailure` where it gives up. Any other error is a
  ///   finding of the simulation.
  func carryOut(
    _ step: SimulatedStep, on dataset: String, using generator: inout SeededGenerator
  ) throws

  /// Starts again, with what it has stored.
  func restart() throws

  /// Follows all datasets to the end of the log, which has no faults any more.
  func follow(_ datasets: [String]) throws

  /// What it answers, and where; by itself, without asking the log.
  func answer(of dataset: String) throws -> ClientOperation.Reading
}

/// What a simulation has to know of the nodes that it runs.
package struct SimulatedProgram {
  /// Makes a node with an empty disk.
  package var makeNode: (SimulatedLogHandle, SimulatedClients) throws -> any SimulatedNode
  /// The name of the client's write that an entry carries out; see
  /// ``SimulatedClients/write(to:session:_:)``.
  package var write: (SharedEntry) -> String?
  /// The digest of the answer to a question at a sequence of a dataset, from its entries alone.
  package var replay: (LogState.Dataset, Int, String) -> String?
  /// How often steps are taken, in proportion; those that are missing never.
  package var weights: [SimulatedStep: Int]
  /// How many datasets more there are to be, which steps make.
  package var unmadeCount: Int

  package init(
    weights: [SimulatedStep: Int], unmadeCount: Int = 0,
    makeNode: @escaping (SimulatedLogHandle, SimulatedClients) throws -> any SimulatedNode,
    write: @escaping (SharedEntry) -> String?,
    replay: @escaping (LogState.Dataset, Int, String) -> String?
  ) {
    self.weights = weights
    self.unmadeCount = unmadeCount
    self.makeNode = makeNode
    self.write = write
    self.replay = replay
  }
}
