package import LayoutCache

// Imports: images of items, which are kept before an entry names them, and loaded where one does.

extension ClusterNode {
  package func hasDataset(_ name: String) throws -> Bool {
    try Self.mapped {
      try retrying(.invisible) { try store.read(node: self.name) { try $0.dataset(named: name) } }
        != nil
    }
  }

  package func keepImage(
    for dataset: String,
    _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64 {
    try Self.mapped(of: dataset) {
      let image = try retrying(.invisible) { try store.beginImage(of: nil) }
      var count = 0
      do {
        try write { chunk in
          // Storing it again changes nothing.
          try self.retrying(.invisible) {
            try self.store.putChunk(chunk, number: count, of: image)
          }
          count += 1
        }
      } catch {
        dropImage(image)
        throw error
      }
      return image
    }
  }

  package func dropImage(_ image: Int64) {
    // It is swept in time in any case.
    try? store.removeImage(image)
  }

  // MARK: Making a dataset

  package func createDataset(_ name: String, of image: SharedImage) throws -> Bool {
    let chain = [UInt8].randomName()
    let time = options.time()
    let entry = SharedEntry(
      sequence: 1, revision: 1, kind: .image, proposal: .risingName(), request: nil,
      payload: image.encode(), time: time, chain: []
    ).sealed(behind: chain)
    let head = try Self.mapped(of: name) {
      try retrying(.idempotentWrite) {
        try store.createDataset(named: name, chain: chain, time: time, beginningWith: entry)
      }
    }
    guard head.begin == chain else { return false }
    do {
      try ensureResident(name)
    } catch let error as LayoutCacheError {
      // It is made, as far as can be told, whatever has become of this node's file.
      throw SharedLogFailure.unknown("what was made can't be carried out: \(error)").asError
    }
    return true
  }

  /// Begins a dataset with the image that its first entry names.
  ///
  /// - Returns: `false` where it begins with nothing.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``, busy where the image is damaged.
  func beginWithImage(_ head: SharedHead) throws -> Bool {
    let entries = try read {
      try $0.entries(of: head.position.dataset, after: 0, bytesMax: 1)
    }
    guard let entry = entries.first, entry.sequence == 1, entry.kind == .image,
      entry.revision == 1
    else { return false }
    let begin = SharedPosition(
      dataset: head.position.dataset, sequence: 0, chain: head.begin)
    do {
      guard entry.isNext(behind: begin.chain) else { throw ReplicationError.diverged }
      try reading(entry, of: begin.dataset) { next in
        try cache.adoptImage(entry, as: head.name, at: begin, in: log, next: next)
      }
      return true
    } catch let misfit as ReplicationError {
      // It may have been cut off meanwhile, behind a checkpoint.
      if misfit == .diverged, try loadCheckpoint(of: head) { return true }
      throw Self.isQuarantined("\(misfit)")
    }
  }

  // MARK: Loading

  /// Carries an entry out that names an image.
  ///
  /// - Throws: ``ReplicationError`` where the image is damaged, or the log has been cut off behind
  ///   the entry; ``SharedLogFailure``; ``LayoutCacheError``.
  func load(
    _ entry: SharedEntry, behind position: SharedPosition, into dataset: String
  ) throws -> AppliedChange {
    try reading(entry, of: position.dataset) { next in
      try cache.acceptImage(entry, after: position, in: log, into: dataset, next: next)
    }
  }

  /// Reads the image that an entry names.
  ///
  /// What `body` finds wrong may be a server's fault that has been deposed: it is looked at
  /// again, each chunk behind a barrier, before it counts.
  private func reading<R>(
    _ entry: SharedEntry, of dataset: Int64,
    _ body: (_ next: @escaping () throws -> [UInt8]?) throws -> R
  ) throws -> R {
    guard let image = try? SharedImage(entry.payload) else {
      throw ReplicationError.doesNotApply("entry \(entry.sequence) names no image")
    }
    do {
      return try body(chunks { try self.store.chunk($0, of: image.number) })
    } catch is ImageError {
      do {
        return try body(
          chunks { number in
            try self.read { try $0.chunk(number, of: image.number) }
          })
      } catch let error as ImageError {
        let head = try read { try $0.heads(of: [dataset]) }.first
        guard let head, head.cut < entry.sequence else { throw ReplicationError.diverged }
        throw ReplicationError.doesNotApply("image \(image.number): \(error)")
      }
    }
  }

  /// One chunk after the other: what has been loaded is not given up for a short outage.
  private func chunks(
    _ read: @escaping (_ number: Int) throws -> [UInt8]?
  ) -> () throws -> [UInt8]? {
    var number = 0
    return {
      let chunk = try self.retrying(.invisible) { try read(number) }
      number += 1
      return chunk
    }
  }
}
