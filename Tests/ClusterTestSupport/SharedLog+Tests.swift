package import LayoutCache
package import LayoutCluster
package import LayoutReplication

// Shorter forms of calls, for tests.

extension SharedLog {
  /// Appends entries to one dataset, each at a cost of 1.
  package func append(
    _ entries: [SharedEntry], after position: SharedPosition, epoch: Int
  ) throws -> SharedAppending {
    try append([SharedAppend(entries, after: position, epoch: epoch, cost: entries.count)])[0].get()
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
