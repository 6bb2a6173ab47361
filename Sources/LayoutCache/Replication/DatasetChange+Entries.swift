import CollectionLayout
import LayoutStore
import SumTree

extension DatasetChange {
  /// Returns the replica row of the dataset, which must be at a position of its shared log.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` if the dataset is at another position or
  ///   follows another log.
  func replica(at position: SharedPosition, of log: [UInt8]) throws -> ReplicaRow {
    guard let replica = try writer.reader.replica(of: state.row.id), replica.log == log,
      SharedPosition(replica) == position
    else { throw ReplicationError.diverged }
    return replica
  }

  /// Records that an entry was applied.
  ///
  /// - Throws: ``ReplicationError`` if the dataset is not at the entry's revision.
  func note(_ entry: SharedEntry, in replica: ReplicaRow) throws {
    guard state.revision == entry.revision else {
      throw ReplicationError.doesNotApply(
        "entry \(entry.sequence) results in revision \(state.revision), not \(entry.revision)")
    }
    if let request = entry.request {
      try remember(IdempotentRequest(request), revision: state.revision, answer: nil)
    }
    var replica = replica
    replica.sequence = entry.sequence
    replica.chain = entry.chain
    try writer.put(replica)
  }

  /// Attaches, changes or removes a layout.
  ///
  /// - Returns: Whether the layout is new.
  mutating func change(layout change: SharedLayoutChange) throws -> Bool {
    let dataset = state.row.id
    switch change {
    case .set(let id, let name, let configuration):
      if let row = try writer.reader.layout(named: name, of: dataset), row.id != id {
        throw ReplicationError.doesNotApply("two layouts have the name '\(excerpt(name))'")
      }
      let present = try writer.reader.layout(id: id)
      var row =
        present
        ?? LayoutRow(
          id: id, dataset: dataset, name: name, configuration: configuration, result: nil)
      guard row.dataset == dataset else {
        throw ReplicationError.doesNotApply("layout \(id) belongs to another dataset")
      }
      row.name = name
      row.configuration = configuration
      // The active layout retains its result, whichever configuration that was computed with.
      state.layouts[id]?.row.name = name
      state.layouts[id]?.row.configuration = configuration
      try writer.put(row)
      return present == nil
    case .removed(let id):
      guard let row = try writer.reader.layout(id: id), row.dataset == dataset else {
        throw ReplicationError.doesNotApply("layout \(id) does not exist")
      }
      state.layouts[id] = nil
      try writer.delete(row)
      return false
    }
  }

  /// Records that the present result of a layout begins at the present revision.
  ///
  /// The result continues from the previous one if that has columns that do not follow from the
  /// items. All others are the same when laid out from scratch.
  func put(_ pin: SharedPin) throws {
    guard let row = try writer.reader.layout(id: pin.layout), row.dataset == state.row.id else {
      throw ReplicationError.doesNotApply("layout \(pin.layout) does not exist")
    }
    try writer.put(
      PinRow(
        layout: row.id, dataset: row.dataset, revision: state.revision,
        configuration: row.configuration, incarnation: HistoryNumber(rawValue: pin.incarnation),
        earlier: writer.reader.pinOfHistory(of: row, kinds: kinds)?.incarnation))
  }

  /// Checks that an undo can restore the items' previous columns, as on every node that applied
  /// the commit.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` if the dataset was loaded after the reverted
  ///   commit.
  func requireFormer(of batch: LoggedBatch) throws {
    if batch.isUndo, state.revision <= state.row.historyBegin {
      throw ReplicationError.diverged
    }
  }

  /// Deletes the pins of the layouts whose results a batch discards.
  func deletePins(endedBy batch: LoggedBatch) throws {
    for operation in batch.operations {
      switch operation {
      case .everything(let layout): try writer.deletePin(of: layout)
      case .build: try writer.deletePins(in: state.row.id)
      default: break
      }
    }
  }
}

extension StoreReader {
  /// Returns the pin of a layout if its result has columns that do not follow from the items.
  func pinOfHistory(of layout: LayoutRow, kinds: CustomKinds) throws -> PinRow? {
    guard let pin = try pin(of: layout.id) else { return nil }
    return try layout.plan(of: pin.configuration, self, kinds: kinds).hasHistory ? pin : nil
  }
}
