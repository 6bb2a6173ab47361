package import LayoutCache

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
    for replica in residents {
      try follow(replica, to: present[replica.position.dataset], askedAt: sent)
    }
  }

  /// Follows the log with a resident dataset.
  ///
  /// - Parameter head: Where it is in the log; `nil` where it is gone.
  private func follow(
    _ replica: LayoutCache.Replica, to head: SharedHead?, askedAt time: Duration
  ) throws {
    guard let head else { return try evict(replica.name) }
    if !head.name.utf8.elementsEqual(replica.name.utf8) {
      try alone(with: replica.name) { _ in try self.takeName(head, from: replica.name) }
    }
    if head.position == replica.position {
      return room(of: head.name).confirm(since: time)
    }
    // It would fail again, and may have to read a long image for that.
    if room(of: head.name).quarantine != nil { return }
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
    try Self.mapped { try alone(with: dataset) { try self.bringHere(dataset, $0) } }
  }

  func bringHere(_ dataset: String, _ room: DatasetRoom) throws {
    if try cache.position(of: dataset, in: log) != nil { return }
    guard let head = try store.read(node: name, { try $0.dataset(named: dataset) }) else {
      throw LayoutCacheError(.noSuchDataset(dataset))
    }
    room.epoch = head.epoch
    try begin(head, room)
    try follow(dataset, room, [])
  }

  /// Begins a dataset anew, from its checkpoint or from nothing.
  private func begin(_ head: SharedHead, _ room: DatasetRoom) throws {
    room.restart()
    room.quarantine = nil
    if try loadCheckpoint(of: head) { return }
    if try beginWithImage(head) { return }
    let start = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
    try cache.adopt(head.name, at: start, in: log, time: head.time)
  }

  package func rebuild(_ dataset: String) throws {
    try Self.mapped {
      try alone(with: dataset) { room in
        room.restart()
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
      let sent = options.now()
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
          if head.position == position { return room.confirm(since: sent) }
          // Cut off before it was followed, or another history.
          throw SharedMisfit.isElsewhere
        }
        try accept(entries, behind: position, dataset, room, tickets)
      } catch SharedMisfit.isElsewhere where !isAnew {
        isAnew = true
        try begin(head, room)
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
    if entry.kind == .image { return try load(entry, behind: position, into: dataset) }
    let commit = try cache.accept(entry, behind: position, in: log, into: dataset, view)
    if entry.kind == .pin {
      do {
        try cache.layOutPinned(entry, in: dataset)
      } catch is SharedMisfit {
        // What it goes on from is not here. Whoever asks for the layout has the dataset
        // begun anew.
      } catch let error as LayoutCacheError where error.category == .corrupt {
        // Likewise.
      }
    }
    return commit
  }
}

// MARK: - Reading

extension ClusterNode {
  /// How far the node has followed a dataset; `nil` where it is not resident.
  package func position(of dataset: String) throws -> SharedPosition? {
    try cache.position(of: dataset, in: log)
  }

  /// Makes sure that the node has come to a sequence of a dataset: that which a client's own
  /// write has, so that it reads that.
  ///
  /// - Throws: ``LayoutCacheError`` with `sharedLogIsAway` where the log can't be asked, or
  ///   does not go so far itself.
  package func follow(_ dataset: String, to sequence: Int) throws {
    func isThere() throws -> Bool {
      try position(of: dataset).map { $0.sequence >= sequence } ?? false
    }
    if try isThere() { return }
    try Self.mapped {
      try alone(with: dataset) { room in
        try self.bringHere(dataset, room)
        try self.follow(dataset, room, [])
      }
    }
    guard try isThere() else {
      throw LayoutCacheError(
        .sharedLogIsAway("the log of dataset '\(dataset)' does not go as far as \(sequence)"))
    }
  }

  /// Takes a dataset out of the node's file; whoever asks for it brings it back.
  package func evict(_ dataset: String) throws {
    try alone(with: dataset) { room in
      room.restart()
      try self.cache.forget(dataset)
    }
  }
}
