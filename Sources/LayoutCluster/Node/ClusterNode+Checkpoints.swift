package import LayoutCache

// Checkpoints: what a node without a dataset begins with, so that it need not follow the log from
// its begin.

extension ClusterNode {
  /// Publishes what the node has of a dataset as a checkpoint of the log. One that turns out to
  /// be damaged, or to lack a layout, is started again first.
  ///
  /// - Returns: The position that it is of; `nil` where there is one already.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``. Nothing is published then.
  /// - Complexity: As `exportArchive`; the dataset is changed and followed in the meantime.
  @discardableResult
  package func checkpoint(_ dataset: String) throws -> SharedPosition? {
    do {
      return try publish(dataset)
    } catch let error as LayoutCacheError where error.category == .corrupt {
      try rebuild(dataset)
    } catch is ReplicationError {
      // A layout is not here, or the dataset has gone in the meantime.
      try rebuild(dataset)
    }
    return try publish(dataset)
  }

  private func publish(_ dataset: String) throws -> SharedPosition? {
    try ensureResident(dataset)
    guard let number = try position(of: dataset)?.dataset else { return nil }
    let archive = try store.beginArchive(of: number)
    do {
      let store = store
      var count = 0
      let (position, digest) = try cache.exportReplica(of: dataset, in: log) { chunk in
        try store.putChunk(chunk, number: count, of: archive)
        count += 1
      }
      if try store.publishCheckpoint(archive, at: position, digest: digest) { return position }
      try store.removeArchive(archive)
      return nil
    } catch {
      // It is swept in time in any case.
      try? store.removeArchive(archive)
      throw error
    }
  }

  /// Cuts off what an earlier checkpoint than the newest makes needless: one to which no undo
  /// can come any more, and which leads to what the newest is of. The newest was made of what
  /// some node had: the two vouch for each other, and nothing else is left of what is cut off.
  ///
  /// - Throws: ``ClusterError`` with `checkpointMisleads` where they differ; nothing is cut off
  ///   then. ``SharedLogFailure``; ``LayoutCacheError``.
  /// - Complexity: As beginning with the earlier one, in its own file.
  package func cutLog(of dataset: String) throws {
    guard let number = try position(of: dataset)?.dataset else { return }
    let (head, newest, kept, needless) = try read { reader in
      let all = try reader.checkpoints(of: number)
      var earlier = all.dropFirst()
      while let checkpoint = earlier.first, try undoComes(behind: checkpoint, reader) != false {
        earlier.removeFirst()
      }
      return (try reader.heads(of: [number]).first, all.first, earlier.first, earlier.dropFirst())
    }
    guard let head, let newest, let kept, head.cut < kept.position.sequence else { return }
    guard try digest(of: head, from: kept, at: newest.position) == newest.digest else {
      // Another node may have cut it off further in the meantime, and taken the checkpoint away.
      let present = try read { try $0.heads(of: [number]) }.first
      guard let present, present.cut <= kept.position.sequence else { return }
      throw ClusterError.checkpointMisleads(
        dataset: dataset, from: kept.position.sequence, to: newest.position.sequence)
    }
    try store.cut(number, upTo: kept.position.sequence)
    for old in needless { try store.removeArchive(old.archive) }
  }

  /// What a node that begins with a checkpoint would publish at a later position.
  ///
  /// - Returns: `nil` where the checkpoint can't be read, or does not lead there.
  private func digest(
    of head: SharedHead, from checkpoint: SharedCheckpoint, at position: SharedPosition
  ) throws -> [UInt8]? {
    let file = try cache.temporaryTwin()
    defer { try? file.close() }
    let node = try ClusterNode(name, of: store, on: file, options: options)
    do {
      try node.load(checkpoint, of: head)
      try node.follow(head, to: position)
      let found = try file.exportReplica(of: head.name, in: log) { _ in }
      return found.position == position ? found.digest : nil
    } catch let error where error is ReplicationError || error is ArchiveError {
      return nil
    } catch let error as LayoutCacheError where error.category == .corrupt {
      return nil
    }
  }

  /// Carries out what the log holds of a dataset up to a position.
  private func follow(_ head: SharedHead, to end: SharedPosition) throws {
    try withQueue(of: head.name) { queue in
      while let position = try position(of: head.name), position.sequence < end.sequence {
        let entries = try read {
          try $0.entries(
            of: end.dataset, after: position.sequence, bytesMax: options.followedBytes)
        }.prefix { $0.sequence <= end.sequence }
        if entries.isEmpty { throw ReplicationError.diverged }
        try apply(entries.map { LoggedEntry(entry: $0) }, behind: position, head.name, queue)
      }
    }
  }

  /// Whether the first commit behind a checkpoint is one that takes the commit before it back;
  /// `nil` where none has come yet.
  private func undoComes(
    behind checkpoint: SharedCheckpoint, _ reader: any SharedLogReader
  ) throws -> Bool? {
    try reader.entries(
      of: checkpoint.position.dataset, after: checkpoint.position.sequence,
      bytesMax: options.followedBytes
    ).first(where: \.isCommit)?.isUndo
  }

  /// Begins a dataset with a checkpoint, if there is one that serves.
  ///
  /// One does not right after a commit that is taken back by what follows: an undo gives items
  /// the columns that they had before, which a checkpoint does not know.
  ///
  /// One may be removed while it is read, because newer ones have been published: then there is
  /// another.
  ///
  /// - Returns: Whether that is done.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``, busy where a checkpoint can't be read.
  func loadCheckpoint(of head: SharedHead) throws -> Bool {
    var last: Int64?
    while let found = try serviceable(of: head) {
      do {
        try load(found, of: head)
        return true
      } catch let error where error is ReplicationError || error is ArchiveError {
        if found.archive == last {
          throw Self.isQuarantined("checkpoint \(found.archive): \(error)")
        }
        last = found.archive
      }
    }
    return false
  }

  /// The newest checkpoint to begin with.
  private func serviceable(of head: SharedHead) throws -> SharedCheckpoint? {
    let number = head.position.dataset
    return try read { reader in
      try reader.checkpoints(of: number).first {
        try $0.position.sequence >= head.cut && undoComes(behind: $0, reader) != true
      }
    }
  }

  private func load(_ checkpoint: SharedCheckpoint, of head: SharedHead) throws {
    var chunk = 0
    let store = store
    try cache.loadReplica(
      as: head.name, number: checkpoint.position.dataset, begin: head.begin, in: log
    ) {
      defer { chunk += 1 }
      return try store.chunk(chunk, of: checkpoint.archive)
    }
    guard try position(of: head.name) == checkpoint.position else {
      throw ReplicationError.doesNotApply("it is another position's")
    }
  }
}
