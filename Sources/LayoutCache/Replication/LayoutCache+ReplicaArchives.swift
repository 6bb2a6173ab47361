import LayoutStore
import SumTree

// How a dataset that follows a shared log goes from one node to another.

extension LayoutCache {
  /// Gives out a dataset that follows a log: a head, which says where it stands, and its archive.
  ///
  /// All layouts that are pinned are laid out first.
  ///
  /// - Parameters:
  ///   - chunk: Takes the head, as the first chunk, and then the archive's. What it throws ends
  ///     the export.
  /// - Returns: Where the dataset stands, and a hash of all that was given out: the same for
  ///   each node there.
  /// - Throws: ``ReplicationError`` where the dataset does not follow the log, or lacks a layout;
  ///   as ``exportArchive(of:willBegin:chunk:)``.
  package func exportReplica(
    of dataset: String, in log: [UInt8], chunk: @escaping ([UInt8]) throws -> Void
  ) throws -> (position: SharedPosition, digest: [UInt8]) {
    try layOutPinned(in: dataset)
    var head: ReplicaHead?
    let summary = try exportArchive(of: dataset) { reader, row in
      let own = try ReplicaHead(of: row, in: log, reader)
      head = own
      try chunk(own.encode())
    } chunk: {
      try chunk($0)
    }
    guard let head else { preconditionFailure("an archive begins with its head") }
    return (head.position, summary.digest + head.position.chain)
  }

  /// Makes a dataset of what another node has given out; what the file has of the name goes.
  ///
  /// - Parameters:
  ///   - number: The dataset's number in the log.
  ///   - begin: The chain of the dataset before any entry.
  ///   - next: The next chunk, the head first; `nil` after the last.
  /// - Throws: ``ReplicationError`` for a head that is none; as
  ///   ``loadArchive(as:replacing:next:didBuild:)``.
  package func loadReplica(
    as name: String, number: Int64, begin: [UInt8], in log: [UInt8],
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
      // The archive may be of the log's time before a restore.
      row.incarnation = HistoryNumber(of: begin, in: log)
      try writer.put(row)
      try head.put(of: row, in: log, writer)
    }
  }

  /// Lays out what is pinned and is not laid out yet.
  ///
  /// - Throws: ``ReplicationError`` with `historyDiverged` where a layout can't be any more.
  private func layOutPinned(in dataset: String) throws {
    let rows = try mappingErrors(path) {
      try store.read { reader in
        try reader.layouts(of: reader.requireDataset(dataset).id).filter {
          try reader.pin(of: $0.id) != nil
        }
      }
    }
    for row in rows {
      let layout = LayoutID(row.name, of: dataset)
      do {
        _ = try prepareHere(layout, discardingSpace: nil, LayoutWatch(clock))
      } catch is LayoutIsNotPinned {
        // By its present configuration. What it has continues from there.
        let isHere = try mappingErrors(path) {
          try store.read { reader in
            guard let pin = try reader.pinOfHistory(of: row, kinds: customKinds) else {
              return true
            }
            return try reader.layout(id: row.id)?.result?.incarnation == pin.incarnation
          }
        }
        if !isHere { throw ReplicationError.historyDiverged(layout) }
      } catch let error as LayoutCacheError {
        // No node can; it follows from the dataset.
        guard case .cannotLayOut = error.code else { throw error }
      }
    }
  }
}

extension SharedEntry {
  /// Whether it takes the commit before it back: who carries it out must have been there.
  package var isUndo: Bool { batch?.isUndo ?? false }

  /// Whether it changes the dataset's items or sections.
  package var isCommit: Bool { kind == .archive || batch?.operations.isEmpty == false }

  private var batch: LoggedBatch? { kind == .batch ? try? LoggedBatch(payload) : nil }
}
