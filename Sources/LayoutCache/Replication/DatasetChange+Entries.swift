import CollectionLayout
import LayoutStore
import SumTree

extension DatasetChange {
  /// How far the dataset has followed its shared log.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` where that is not the position, or it
  ///   follows another log.
  func replica(at position: SharedPosition, of log: [UInt8]) throws -> ReplicaRow {
    guard let replica = try writer.reader.replica(of: state.row.id), replica.log == log,
      SharedPosition(replica) == position
    else { throw ReplicationError.diverged }
    return replica
  }

  /// Notes that an entry has been carried out.
  ///
  /// - Throws: ``ReplicationError`` where the dataset has not come to the entry's revision.
  func note(_ entry: SharedEntry, in replica: ReplicaRow) throws {
    guard state.revision == entry.revision else {
      throw ReplicationError.doesNotApply(
        "entry \(entry.sequence) leads to revision \(entry.revision), not \(state.revision)")
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
  /// - Returns: Whether it is new.
  mutating func change(layout change: SharedLayoutChange) throws -> Bool {
    let dataset = state.row.id
    switch change {
    case .isSet(let id, let name, let configuration):
      if let row = try writer.reader.layout(named: name, of: dataset), row.id != id {
        throw ReplicationError.doesNotApply("two layouts are called '\(excerpt(name))'")
      }
      let present = try writer.reader.layout(id: id)
      var row =
        present
        ?? LayoutRow(
          id: id, dataset: dataset, name: name, configuration: configuration, result: nil)
      guard row.dataset == dataset else {
        throw ReplicationError.doesNotApply("layout \(id) is another dataset's")
      }
      row.name = name
      row.configuration = configuration
      // In use it is as its result stands, of whatever configuration.
      state.layouts[id]?.row.name = name
      state.layouts[id]?.row.configuration = configuration
      try writer.put(row)
      return present == nil
    case .isRemoved(let id):
      guard let row = try writer.reader.layout(id: id), row.dataset == dataset else {
        throw ReplicationError.doesNotApply("there is no layout \(id)")
      }
      state.layouts[id] = nil
      try writer.delete(row)
      return false
    }
  }

  /// Notes where the present result of a layout begins.
  ///
  /// It continues from the one before if that has columns which do not follow from the items: all
  /// else is the same where it is laid out from scratch.
  func put(_ pin: SharedPin) throws {
    guard let row = try writer.reader.layout(id: pin.layout), row.dataset == state.row.id else {
      throw ReplicationError.doesNotApply("there is no layout \(pin.layout)")
    }
    try writer.put(
      PinRow(
        layout: row.id, dataset: row.dataset, revision: state.revision,
        configuration: row.configuration, incarnation: HistoryNumber(rawValue: pin.incarnation),
        earlier: writer.reader.pinOfHistory(of: row, kinds: kinds)?.incarnation))
  }

  /// Makes sure that an undo can give items the columns back that they had, as all nodes do
  /// that were there.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` where the dataset was loaded after the
  ///   commit that is taken back.
  func requireFormer(of batch: LoggedBatch) throws {
    if batch.isUndo, state.revision <= state.row.historyBegin {
      throw ReplicationError.diverged
    }
  }

  /// The results that a batch lets begin elsewhere begin nowhere for now.
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
  /// Where the result of a layout begins, if that has columns which do not follow from the
  /// items.
  func pinOfHistory(of layout: LayoutRow, kinds: CustomKinds) throws -> PinRow? {
    guard let pin = try pin(of: layout.id) else { return nil }
    return try layout.plan(of: pin.configuration, self, kinds: kinds).hasHistory ? pin : nil
  }
}
