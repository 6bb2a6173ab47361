package import LayoutCache

// Checkpoints: what a node without a dataset begins with, so that it need not follow the log from
// its begin.

extension ClusterNode {
  /// Publishes what the node has of a dataset as a checkpoint of the log. One that turns out to
  /// be damaged, or to lack a layout, is begun anew first.
  ///
  /// - Returns: The position that it is of; `nil` where there is one already.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``. Nothing is published then.
  /// - Complexity: As `exportImage`; the dataset is changed and followed meanwhile.
  @discardableResult
  package func checkpoint(_ dataset: String) throws -> SharedPosition? {
    do {
      return try publish(dataset)
    } catch let error as LayoutCacheError where error.category == .corrupt {
      try rebuild(dataset)
    } catch is SharedMisfit {
      // A layout is not here, or the dataset has gone meanwhile.
      try rebuild(dataset)
    }
    return try publish(dataset)
  }

  private func publish(_ dataset: String) throws -> SharedPosition? {
    try bringHere(dataset)
    guard let number = try position(of: dataset)?.dataset else { return nil }
    let image = try store.beginImage(of: number)
    do {
      let store = store
      var count = 0
      let (position, digest) = try cache.exportReplica(of: dataset, in: log) { chunk in
        try store.putChunk(chunk, number: count, of: image)
        count += 1
      }
      if try store.publishCheckpoint(image, at: position, digest: digest) { return position }
      try store.removeImage(image)
      return nil
    } catch {
      // It is swept in time in any case.
      try? store.removeImage(image)
      throw error
    }
  }

  /// Cuts off what an earlier checkpoint than the newest makes needless: one to which no undo
  /// can come any more.
  package func cutLog(of dataset: String) throws {
    guard let number = try position(of: dataset)?.dataset else { return }
    let (kept, needless) = try read { reader in
      var earlier = try reader.checkpoints(of: number).dropFirst()
      while let checkpoint = earlier.first, try undoComes(behind: checkpoint, reader) != false {
        earlier.removeFirst()
      }
      return (earlier.first, earlier.dropFirst())
    }
    guard let kept else { return }
    try store.cut(number, upTo: kept.position.sequence)
    for old in needless { try store.removeImage(old.image) }
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
  /// One does not right behind a commit that is taken back by what follows: an undo gives items
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
      } catch let error where error is SharedMisfit || error is ImageError {
        if found.image == last { throw Self.isQuarantined("checkpoint \(found.image): \(error)") }
        last = found.image
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
      return try store.chunk(chunk, of: checkpoint.image)
    }
    guard try position(of: head.name) == checkpoint.position else {
      throw SharedMisfit.doesNotApply("it is another position's")
    }
  }
}
