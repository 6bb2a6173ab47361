package import LayoutCache
import LayoutReplication

// Imports: archives of items, stored before an entry names them, and loaded when the entry is
// applied.

extension ClusterNode {
  package func hasDataset(_ name: String) throws -> Bool {
    try Self.mapped {
      try retrying(.invisible) { try find(name) } != nil
    }
  }

  package func keepArchive(
    for dataset: String,
    _ write: (_ chunk: @escaping ([UInt8]) throws -> Void) throws -> Void
  ) throws -> Int64 {
    try Self.mapped(of: dataset) {
      let archive = try retrying(.invisible) { try store.beginArchive(of: nil) }
      var count = 0
      do {
        try write { chunk in
          // Storing the chunk again has no effect.
          try self.retrying(.invisible) {
            try self.store.putChunk(chunk, number: count, of: archive)
          }
          count += 1
        }
      } catch {
        dropArchive(archive)
        throw error
      }
      return archive
    }
  }

  package func dropArchive(_ archive: Int64) {
    // If this fails, the archive is swept later.
    try? store.removeArchive(archive)
  }

  package func createDataset(_ name: String, of archive: SharedArchive) throws -> Bool {
    let chain = [UInt8].randomName()
    let time = options.time()
    let request = SharedRequest(
      .archive, named: .risingName(), payload: NamedArchive(archive, beginsDataset: true).encode(),
      time: time)
    return try Self.mapped(of: name) {
      let head = try make(name, chain) {
        try store.createDataset(named: name, chain: chain, time: time, beginningWith: request)
      }
      guard head.begin == chain else { return false }
      try afterLogging { try ensureResident(name) }
      return true
    }
  }

  /// Loads a dataset from the archive that its first entry names.
  ///
  /// - Returns: `false` if its first entry names no archive.
  /// - Throws: ``SharedLogFailure``; ``LayoutCacheError``, busy if the archive is damaged.
  func beginWithArchive(_ head: SharedHead) throws -> Bool {
    let begin = SharedPosition(dataset: head.position.dataset, sequence: 0, chain: head.begin)
    var found: SharedEntry?
    do {
      found = try read { try $0.tail(of: begin.dataset, after: 0, bytesMax: 1) }?.entries.first
    } catch SharedLogFailure.newerEntry {}
    guard let entry = found, entry.sequence == 1, entry.request.archive?.beginsDataset ?? false
    else { return false }
    do {
      guard entry.isNext(after: begin.chain) else { throw ReplicationError.diverged }
      try reading(entry, of: begin.dataset) { next in
        try cache.adopt(
          head.name, at: begin, in: log, epoch: head.epoch, time: entry.request.time,
          first: (entry, next))
      }
      return true
    } catch let error as ReplicationError {
      if error == .diverged {
        // The entry may have been deleted in the meantime, after a checkpoint, or the dataset.
        if try loadCheckpoint(of: head) { return true }
        if try read({ try $0.look(at: [begin.dataset]) }).heads.isEmpty {
          throw LayoutCacheError(.noSuchDataset(head.name))
        }
      }
      throw Self.isQuarantined("\(error)")
    }
  }

  /// Decides an entry that names an archive.
  ///
  /// - Throws: ``ReplicationError`` if the archive is damaged, or the log was cut after the
  ///   entry; ``SharedLogFailure``; ``LayoutCacheError``.
  func load(
    _ entry: SharedEntry, after position: SharedPosition, into dataset: String
  ) throws -> DecidedOutcome {
    try reading(entry, of: position.dataset) { next in
      try cache.decideArchive(entry, after: position, in: log, into: dataset, next: next)
    }
  }

  /// Reads the archive that an entry names.
  private func reading<R>(
    _ entry: SharedEntry, of dataset: Int64,
    _ body: (_ next: @escaping () throws -> [UInt8]?) throws -> R
  ) throws -> R {
    let archive = try entry.archive.archive
    do {
      return try body(chunks { try self.store.chunk($0, of: archive.number) })
    } catch ReplicationError.unreadableArchive(let reason) {
      // The archive is deleted together with the entry.
      let head = try read { try $0.look(at: [dataset]) }.heads.first
      guard let head, head.cut < entry.sequence else { throw ReplicationError.diverged }
      throw ReplicationError.doesNotApply("archive \(archive.number): \(reason)")
    }
  }

  /// Returns an iterator over chunks. It retries during a short outage, so that the chunks
  /// already loaded are not wasted.
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
