import LayoutCache

// Carrying out what the log has decided on.

extension ClusterNode {
  /// Looks where the log is, and follows it, for all resident datasets.
  ///
  /// - Throws: ``SharedLogFailure`` where the log can't be read; what the node has is then as
  ///   old as before.
  package func poll() throws {
    let sent = options.now()
    let residents = try cache.replicas().following.filter { $0.log == log }
    let heads = try store.read(node: name) { reader in
      try reader.heads(of: residents.map(\.position.dataset))
    }
    let present = Dictionary(heads.map { ($0.position.dataset, $0) }) { first, _ in first }
    for replica in residents { try follow(replica, to: present[replica.position.dataset]) }
    didConfirm(since: sent)
  }

  /// Follows the log with a resident dataset.
  ///
  /// - Parameter head: Where it is in the log; `nil` where it is gone.
  private func follow(_ replica: LayoutCache.Replica, to head: SharedHead?) throws {
    guard let head else {
      return try alone(with: replica.name) { _ in try self.cache.forget(replica.name) }
    }
    if !head.name.utf8.elementsEqual(replica.name.utf8) {
      try alone(with: replica.name) { _ in try self.takeName(head, from: replica.name) }
    }
    if head.position == replica.position { return }
    do {
      try alone(with: head.name) { try self.follow(head.name, $0, []) }
    } catch is LayoutCacheError {
      // One dataset that can't be followed keeps no other from it; it is known by its
      // quarantine, or is gone.
    }
  }

  /// Gives a dataset the name that it has in the log. One that has it in the file is gone, or
  /// has another by now.
  private func takeName(_ head: SharedHead, from name: String) throws {
    if try cache.position(of: head.name, in: log) != nil { try cache.forget(head.name) }
    try cache.takeName(head.name, from: name)
  }

  /// Makes a dataset resident.
  ///
  /// - Throws: ``LayoutCacheError`` with `noSuchDataset`; ``SharedLogFailure``.
  package func bringHere(_ dataset: String) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    try alone(with: dataset) { try self.bringHere(dataset, $0) }
  }

  func bringHere(_ dataset: String, _ room: DatasetRoom) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    guard let head = try store.read(node: name, { try $0.dataset(named: dataset) }) else {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    room.epoch = head.epoch
    room.quarantine = nil
    try begin(head)
    try follow(dataset, room, [])
  }

  /// Begins a dataset anew, from its checkpoint or from nothing.
  private func begin(_ head: SharedHead) throws {
    let start = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
    try cache.adopt(head.name, at: start, in: log, time: head.time)
  }

  package func rebuild(_ dataset: String) throws {
    try Self.mapped {
      try alone(with: dataset) { room in
        try self.cache.forget(dataset)
        try self.bringHere(dataset, room)
      }
    }
  }

  /// Carries out what the log holds behind what the node has of a dataset.
  ///
  /// - Parameter tickets: Those whose changes may have come in: they are closed then.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError`` with `noSuchDataset` where the dataset
  ///   is gone.
  func follow(
    _ dataset: String, _ room: DatasetRoom, _ tickets: [DatasetRoom.Ticket]
  ) throws {
    var isAnew = false
    while true {
      guard let position = try cache.position(of: dataset, in: log) else {
        return try bringHere(dataset, room)
      }
      let (head, entries) = try store.read(node: name) { reader in
        (
          try reader.heads(of: [position.dataset]).first,
          try reader.entries(
            of: position.dataset, after: position.sequence, bytesMax: options.followedBytes)
        )
      }
      guard let head else {
        try cache.forget(dataset)
        return try bringHere(dataset, room)
      }
      room.epoch = head.epoch
      do {
        if entries.isEmpty {
          if head.position == position { return }
          // Cut off before it was followed, or another history.
          throw SharedMisfit.isElsewhere
        }
        try accept(entries, behind: position, dataset, room, tickets)
      } catch SharedMisfit.isElsewhere where !isAnew {
        isAnew = true
        try cache.forget(dataset)
        try begin(head)
      } catch let misfit as SharedMisfit {
        room.quarantine = "\(misfit)"
        throw Self.isQuarantined("\(misfit)")
      }
    }
  }

  /// Carries entries out, one after the other.
  private func accept(
    _ entries: [SharedEntry], behind position: SharedPosition, _ dataset: String,
    _ room: DatasetRoom, _ tickets: [DatasetRoom.Ticket]
  ) throws {
    var position = position
    for entry in entries {
      guard entry.sequence == position.sequence + 1, entry.isNext(behind: position.chain) else {
        throw SharedMisfit.isElsewhere
      }
      let ticket = tickets.first { $0.change.proposal == entry.proposal }
      let commit = try accept(entry, dataset, room, ticket?.view ?? BatchView())
      ticket?.close(.success(.isCommitted(commit)))
      position.sequence = entry.sequence
      position.chain = entry.chain
    }
  }

  /// Carries one entry out.
  func accept(
    _ entry: SharedEntry, _ dataset: String, _ room: DatasetRoom, _ view: BatchView
  ) throws -> Commit {
    guard let position = try cache.position(of: dataset, in: log) else {
      throw SharedMisfit.isElsewhere
    }
    let commit = try cache.accept(entry, behind: position, in: log, into: dataset, view)
    if entry.kind == .pin {
      do {
        try cache.layOutPinned(entry, in: dataset)
      } catch is SharedMisfit {
        // What it goes on from is not here. Whoever asks for the layout has the dataset
        // begun anew.
      }
    }
    return commit
  }
}
