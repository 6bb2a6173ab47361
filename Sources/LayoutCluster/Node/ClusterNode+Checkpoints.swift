package import LayoutCache
import LayoutReplication

// Checkpoints: archived states from which a node loads a dataset, instead of following the log
// from the start.

extension ClusterNode {
  /// Publishes the node's state of a dataset as a checkpoint of the log. If the local state is
  /// damaged or lacks a layout, it is rebuilt first.
  ///
  /// - Returns: The checkpoint's position; `nil` if the log already has one there.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``. Nothing is published if it throws.
  /// - Complexity: As `exportArchive`. The dataset can be changed and followed concurrently.
  @discardableResult
  package func checkpoint(_ dataset: String) throws -> SharedPosition? {
    do {
      return try publish(dataset)
    } catch let error as LayoutCacheError where error.category == .corrupt {
      try rebuild(dataset)
    } catch ReplicationError.historyDiverged(let layout) {
      _ = try cache.prepare(layout)
    } catch is ReplicationError {
      // The dataset was deleted in the meantime.
      try rebuild(dataset)
    }
    return try publish(dataset)
  }

  private func publish(_ dataset: String) throws -> SharedPosition? {
    try ensureResident(dataset)
    guard let number = try position(of: dataset)?.dataset,
      let head = try read({ try $0.look(at: [number]) }).heads.first
    else { return nil }
    // So the checkpoint saves at least the head's cost.
    try Self.mapped { try bringUpToDate(dataset, since: options.now()) }
    let archive = try store.beginArchive(of: number)
    let (position, digest): (SharedPosition, [UInt8])
    do {
      let store = store
      var count = 0
      (position, digest) = try cache.exportReplica(of: dataset, in: log) { chunk in
        try store.putChunk(chunk, number: count, of: archive)
        count += 1
      }
    } catch {
      // If this fails, the archive is swept later.
      try? store.removeArchive(archive)
      throw error
    }
    // If the outcome is unknown, the archive is either a checkpoint, or swept later.
    let isPublished = try writing {
      try store.publishCheckpoint(archive, at: position, digest: digest, covering: head.cost)
    }
    if isPublished { return position }
    try store.removeArchive(archive)
    return nil
  }

  /// Deletes the log up to the newest checkpoint but one, and the checkpoints before it. Replaying
  /// the log from it must reproduce the newest checkpoint, which was exported from a node's state: the two verify
  /// each other, and are the only remaining record of the deleted entries.
  ///
  /// - Throws: ``ClusterError`` with `checkpointMisleads` if the two differ, and nothing is
  ///   deleted; ``SharedLogFailure``; ``LayoutCacheError``.
  /// - Complexity: That of loading the earlier checkpoint into a temporary file and following the
  ///   log from there.
  package func cutLog(of dataset: String) throws {
    guard let number = try position(of: dataset)?.dataset else { return }
    let (head, newest, kept, needless) = try read { reader in
      let all = try reader.checkpoints(of: number)
      let earlier = all.dropFirst()
      return (
        try reader.look(at: [number]).heads.first, all.first, earlier.first, earlier.dropFirst()
      )
    }
    guard let head, let newest, let kept, head.cut < kept.position.sequence else { return }
    guard try digest(of: head, from: kept, at: newest.position) == newest.digest else {
      // Another node may have cut the log further in the meantime, and deleted the checkpoint.
      let present = try read { try $0.look(at: [number]) }.heads.first
      guard let present, present.cut <= kept.position.sequence else { return }
      throw ClusterError.checkpointMisleads(
        dataset: dataset, from: kept.position.sequence, to: newest.position.sequence)
    }
    try store.cut(number, upTo: kept.position.sequence)
    for old in needless { try store.removeArchive(old.archive) }
  }

  /// Returns the digest of the state that a node reaches at a later position, starting from a
  /// checkpoint.
  ///
  /// - Returns: `nil` if the checkpoint cannot be read, or does not lead to the position.
  private func digest(
    of head: SharedHead, from checkpoint: SharedCheckpoint, at position: SharedPosition
  ) throws -> [UInt8]? {
    let file = try cache.temporaryTwin()
    defer { try? file.close() }
    var options = options
    (options.storedDecisions, options.storeDecisions) = ([], { _ in })
    let node = try ClusterNode(of: store, on: file, options: options)
    do {
      try node.load(checkpoint, of: head)
      try node.follow(head, to: position)
      let found = try file.exportReplica(of: head.name, in: log) { _ in }
      return found.position == position ? found.digest : nil
    } catch is ReplicationError {
      return nil
    } catch let error as LayoutCacheError where error.category == .corrupt {
      return nil
    }
  }

  /// Applies the log's entries of a dataset up to a position.
  private func follow(_ head: SharedHead, to end: SharedPosition) throws {
    try withQueue(of: head.name) { queue in
      while let position = try position(of: head.name), position.sequence < end.sequence {
        let tail = try read {
          try $0.tail(of: end.dataset, after: position.sequence, bytesMax: options.followedBytes)
        }
        let entries = tail?.entries.prefix { $0.sequence <= end.sequence } ?? []
        if entries.isEmpty { throw ReplicationError.diverged }
        try apply(Array(entries), after: position, queue)
      }
    }
  }

  /// Loads a dataset from the newest checkpoint, if there is one.
  ///
  /// A checkpoint may be deleted while it is read, because newer ones were published. Then
  /// another one is tried.
  ///
  /// - Returns: Whether a checkpoint was loaded.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``, busy if a checkpoint cannot be read.
  func loadCheckpoint(of head: SharedHead) throws -> Bool {
    var last: Int64?
    let number = head.position.dataset
    while let found = try read({ try $0.checkpoints(of: number).first }),
      found.position.sequence >= head.cut
    {
      do {
        try load(found, of: head)
        return true
      } catch let error as ReplicationError {
        if found.archive == last {
          throw Self.isQuarantined("checkpoint \(found.archive): \(error)")
        }
        last = found.archive
      }
    }
    return false
  }

  private func load(_ checkpoint: SharedCheckpoint, of head: SharedHead) throws {
    var chunk = 0
    let store = store
    try cache.loadReplica(
      as: head.name, number: checkpoint.position.dataset, begin: head.begin, in: log,
      epoch: head.epoch
    ) {
      defer { chunk += 1 }
      return try store.chunk(chunk, of: checkpoint.archive)
    }
    guard try position(of: head.name) == checkpoint.position else {
      throw ReplicationError.doesNotApply("it belongs to another position")
    }
  }
}
