package import LayoutCache
import LayoutStore

// The functions for a node's file in a cluster: which datasets of the shared log it has, and up to
// which position. The caller ensures that only one thread at a time changes a dataset.

extension LayoutCache {
  /// Returns the position of a dataset in the shared log.
  ///
  /// - Returns: `nil` if the file does not have the dataset, or the dataset follows another log.
  package func position(of dataset: String, in log: [UInt8]) throws -> SharedPosition? {
    try replica(of: dataset, in: log)?.position
  }

  /// Returns a dataset that follows a shared log; otherwise like ``position(of:in:)``.
  package func replica(of dataset: String, in log: [UInt8]) throws -> Replica? {
    try readRows { reader in
      guard let row = try reader.dataset(named: dataset),
        let replica = try reader.replica(of: row.id), replica.log == log
      else { return nil }
      return Replica(row, replica, isLoading: try reader.isLoading(row.id))
    }
  }

  /// Returns the ``Replica/history`` of a dataset.
  ///
  /// - Parameters:
  ///   - begin: The dataset's chain before any entry.
  ///   - epoch: Raised when the log has lost entries, since another history begins then.
  package static func history(of begin: [UInt8], in log: [UInt8], epoch: Int) -> Int64 {
    HistoryNumber(of: begin, in: log, epoch: epoch).rawValue
  }

  /// Returns the revision of a dataset in the file. Only the end of its log is read.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  package func revision(of dataset: String) throws -> Int {
    try readRows { try $0.logHead(of: $0.requireDataset(dataset).id).revision }
  }

  /// A dataset in the file that follows a shared log.
  package struct Replica: Hashable, Sendable {
    package var name: String
    /// The name of the shared log.
    package var log: [UInt8]
    package var position: SharedPosition
    /// The identity of its history: the same on all nodes, and part of all incarnations.
    package var history: Int64
    /// Whether it was loaded, and has not reached the end of the log since.
    package var isLoading: Bool

    init(_ row: DatasetRow, _ replica: ReplicaRow, isLoading: Bool) {
      (name, log, position) = (row.name, replica.log, SharedPosition(replica))
      (history, self.isLoading) = (row.incarnation.rawValue, isLoading)
    }
  }

  /// Returns the datasets in the file that follow shared logs, and the names of the other datasets.
  package func replicas() throws -> (following: [Replica], own: [String]) {
    try readRows { reader in
      var (following, own): ([Replica], [String]) = ([], [])
      for id in try reader.datasetIDs() {
        let row = try reader.dataset(id: id)
        guard let replica = try reader.replica(of: id) else {
          own.append(row.name)
          continue
        }
        following.append(Replica(row, replica, isLoading: try reader.isLoading(id)))
      }
      return (following, own)
    }
  }

  /// Records that a dataset that was being loaded has reached the end of the shared log.
  package func endLoading(_ dataset: String) throws {
    try writeRows { writer in
      guard let row = try writer.reader.dataset(named: dataset) else { return }
      try writer.endLoading(row.id)
    }
  }
}

extension HistoryNumber {
  /// Creates the identity of a dataset in a log. It is the same on all nodes, but differs once
  /// the log is restored or has lost entries, because another history begins there.
  ///
  /// - Parameter begin: The dataset's chain before any entry.
  init(of begin: [UInt8], in log: [UInt8], epoch: Int) {
    func prefix(_ bytes: [UInt8]) -> UInt64 {
      bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
    // Spreads the number over all bits; nothing for the first epoch.
    let later = UInt64(truncatingIfNeeded: epoch - 1) &* 0x9e37_79b9_7f4a_7c15
    let bits = prefix(begin) ^ prefix(log) ^ later
    self.init(rawValue: Int64(bits & UInt64(Int64.max)))
  }
}
