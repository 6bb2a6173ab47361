package import LayoutCache
import LayoutStore
import SumTree

// Transfers of a dataset that follows a shared log from one node to another.

extension LayoutCache {
  /// Exports a dataset that follows a log: a head with its position, and its archive.
  ///
  /// All pinned layouts are laid out first.
  ///
  /// - Parameters:
  ///   - chunk: Receives the head as the first chunk, then the archive's chunks. An error ends
  ///     the export.
  /// - Returns: The dataset's position, and a hash of the exported data, which is the same for
  ///   each node at that position.
  /// - Throws: ``ReplicationError`` if the dataset does not follow the log or lacks a layout; the
  ///   errors of ``exportArchive(of:willBegin:chunk:)``.
  package func exportReplica(
    of dataset: String, in log: [UInt8], chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> (position: SharedPosition, digest: [UInt8]) {
    try layOutPinned(in: dataset)
    var head: ReplicaHead?
    // Nodes give the dataset an incarnation by themselves. The digest does not depend on it.
    let summary = try exportArchive(of: dataset, withIncarnation: false) { reader, row in
      let own = try ReplicaHead(of: row, in: log, reader)
      head = own
      try chunk(own.encode())
    } chunk: {
      try chunk($0)
    }
    guard let head else { preconditionFailure("an archive begins with its head") }
    return (head.position, summary.digest + head.position.chain)
  }

  /// Creates a dataset from another node's export. An existing dataset of that name in the file
  /// is deleted.
  ///
  /// - Parameters:
  ///   - number: The dataset's number in the log.
  ///   - begin: The dataset's chain before any entry.
  ///   - next: The next chunk, the head first; `nil` after the last.
  /// - Throws: ``ReplicationError`` for a malformed head; the errors of
  ///   ``loadArchive(as:replacing:next:didBuild:)``.
  package func loadReplica(
    as name: String, number: Int64, begin: [UInt8], in log: [UInt8], epoch: Int = 1,
    next: @escaping () throws -> [UInt8]?
  ) throws {
    guard let first = try next() else {
      throw ReplicationError.doesNotApply("the archive is empty")
    }
    let head: ReplicaHead
    do {
      head = try ReplicaHead(first, dataset: number)
    } catch let error as ByteError {
      throw ReplicationError.doesNotApply("the archive's head: \(error)")
    }
    try loadArchive(as: name, replacing: true, next: next) { writer, row in
      var row = row
      row.incarnation = HistoryNumber(of: begin, in: log, epoch: epoch)
      try writer.put(row)
      try head.put(of: row, in: log, writer)
    }
  }

  /// Lays out the pinned layouts that are not laid out yet.
  ///
  /// - Throws: ``ReplicationError`` with `historyDiverged` if a layout can no longer be laid out.
  private func layOutPinned(in dataset: String) throws {
    let rows = try readRows { reader in
      try reader.layouts(of: reader.requireDataset(dataset).id).filter {
        try reader.pin(of: $0.id) != nil
      }
    }
    for row in rows {
      let layout = LayoutID(row.name, of: dataset)
      do {
        try prepareAsPinned(layout)
      } catch ReplicationError.historyNotRecorded {
        // It is not pinned with its present configuration. A result with history must still
        // continue from its pin.
        let resident = try readRows { reader in
          guard let pin = try pinOfHistory(of: row, reader) else { return true }
          return try reader.layout(id: row.id)?.result?.incarnation == pin.incarnation
        }
        if !resident { throw ReplicationError.historyDiverged(layout) }
      }
    }
  }
}
