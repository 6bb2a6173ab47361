package import LayoutCache
package import LayoutCluster
package import LayoutReplication

// Shorter forms of calls, for tests.

extension SharedLog {
  /// Appends requests to one dataset, each at a cost of 1.
  package func append(
    _ requests: [SharedRequest], to dataset: Int64, epoch: Int = 1, named name: String? = nil,
    at position: SharedPosition? = nil
  ) throws -> SharedAppending {
    let append = SharedAppend(
      requests, to: dataset, epoch: epoch, named: name, at: position, cost: requests.count)
    return try self.append([append])[0].get()
  }

  /// Creates an empty dataset, or returns the existing one of that name.
  package func createDataset(
    named name: String, chain: [UInt8], time: Int64
  ) throws -> SharedHead {
    try createDataset(named: name, chain: chain, time: time, beginningWith: nil)
  }

  /// Returns the entries of a dataset after a sequence; none if the dataset is deleted.
  package func entries(
    of dataset: Int64, after sequence: Int, bytesMax: Int
  ) throws -> [SharedEntry] {
    try tail(of: dataset, after: sequence, bytesMax: bytesMax)?.entries ?? []
  }

  package func heads(of datasets: [Int64]) throws -> [SharedHead] {
    try look(at: datasets).heads
  }

  package func info() throws -> SharedLogInfo { try look(at: []).info }

  /// Publishes a checkpoint that covers no cost.
  package func publishCheckpoint(
    _ archive: Int64, at position: SharedPosition, digest: [UInt8]
  ) throws -> Bool {
    try publishCheckpoint(archive, at: position, digest: digest, covering: 0)
  }
}
