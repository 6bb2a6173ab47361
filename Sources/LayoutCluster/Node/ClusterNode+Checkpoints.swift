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

  /// Cuts off what the last checkpoint but one makes needless.
  package func cutLog(of dataset: String) throws {
    guard let number = try position(of: dataset)?.dataset else { return }
    let checkpoints = try store.read(node: name) { try $0.checkpoints(of: number) }
    guard checkpoints.count > 1 else { return }
    try store.cut(number, upTo: checkpoints[1].position.sequence)
    for old in checkpoints.dropFirst(2) { try store.removeImage(old.image) }
  }

  /// Begins a dataset with a checkpoint, if there is one that serves.
  ///
  /// One does not right behind a commit that is taken back by what follows: an undo gives items
  /// the columns that they had before, which a checkpoint does not know.
  ///
  /// - Returns: Whether that is done.
  func loadCheckpoint(of head: SharedHead) throws -> Bool {
    let number = head.position.dataset
    let found = try store.read(node: name) { reader -> SharedCheckpoint? in
      for checkpoint in try reader.checkpoints(of: number)
      where checkpoint.position.sequence >= head.cut {
        var next = try reader.entries(
          of: number, after: checkpoint.position.sequence, bytesMax: options.followedBytes)[...]
        next = next.drop { $0.kind == .pin || $0.kind == .layout }
        if next.first?.isUndo != true { return checkpoint }
      }
      return nil
    }
    guard let found else { return false }
    var chunk = 0
    let store = store
    try cache.loadReplica(as: head.name, number: number, in: log) {
      defer { chunk += 1 }
      return try store.chunk(chunk, of: found.image)
    }
    guard try position(of: head.name) == found.position else {
      throw SharedMisfit.doesNotApply("the checkpoint at \(found.position.sequence) is another's")
    }
    return true
  }
}
