import LayoutCache
import LayoutCluster
import LayoutReplication

extension SharedLogContract {
  static let archives: [SharedLogContract] = [
    SharedLogContract(name: "an archive has the chunks stored last") { store in
      let archive = try store.beginArchive(of: nil)
      let other = try store.beginArchive(of: nil)
      try demand(archive != other, "two archives have the same number")
      let large = [UInt8](repeating: 0xA5, count: 256 << 10)
      try store.putChunk(large, number: 1, of: archive)
      try store.putChunk([1], number: 0, of: archive)
      // As after a lost answer.
      try store.putChunk([1], number: 0, of: archive)
      try store.putChunk([], number: 2, of: archive)
      try store.putChunk([9], number: 0, of: other)
      try demand(try store.chunk(0, of: archive), is: [1])
      try demand(try store.chunk(1, of: archive), is: large)
      try demand(try store.chunk(2, of: archive), is: [])
      try demand(try store.chunk(3, of: archive), is: nil)
      try store.removeArchive(archive)
      try demand(try store.chunk(0, of: archive), is: nil)
      try demand(try store.chunk(0, of: other), is: [9])
      try store.removeArchive(archive)
      // The caller may get the error now, or when it names the archive.
      do { try store.putChunk([1], number: 3, of: archive) } catch is SharedLogFailure {}
      try demand(try store.chunk(3, of: archive), is: nil)
    },

    SharedLogContract(name: "a checkpoint is published once, at a past log position") { store in
      let begin = try ContractTools.make("feed", in: store)
      let middle = try ContractTools.append([[1], [2]], after: begin, to: store)
      let head = try ContractTools.append([[3]], after: middle, to: store)
      let id = head.position.dataset
      let archives = try (0..<5).map { _ in try store.beginArchive(of: id) }
      try demand(try store.checkpoints(of: id), is: [])
      try demand(
        try store.publishCheckpoint(archives[0], at: middle.position, digest: [1]), is: true)
      try demand(
        try store.publishCheckpoint(archives[1], at: middle.position, digest: [2]), is: false)
      try demand(try store.publishCheckpoint(archives[1], at: head.position, digest: [3]), is: true)
      try demand(
        try store.publishCheckpoint(archives[2], at: begin.position, digest: [4]), is: true)
      var other = head.position
      other.sequence = 1
      try demand(try store.publishCheckpoint(archives[3], at: other, digest: [5]), is: false)
      other.sequence = 4
      try demand(try store.publishCheckpoint(archives[3], at: other, digest: [5]), is: false)
      try store.removeArchive(archives[3])
      let further = try ContractTools.append([[4]], after: head, to: store)
      try demand(
        try store.publishCheckpoint(archives[3], at: further.position, digest: [5]), is: false)
      func checkpoint(_ archive: Int64, _ head: SharedHead, _ digest: UInt8) -> SharedCheckpoint {
        SharedCheckpoint(archive: archive, position: head.position, digest: [digest])
      }
      try demand(
        try store.checkpoints(of: id),
        is: [
          checkpoint(archives[1], head, 3), checkpoint(archives[0], middle, 1),
          checkpoint(archives[2], begin, 4),
        ])
      try store.removeArchive(archives[0])
      try demand(
        try store.checkpoints(of: id),
        is: [checkpoint(archives[1], head, 3), checkpoint(archives[2], begin, 4)])
      try demand(
        try store.publishCheckpoint(archives[4], at: middle.position, digest: [6]), is: true)
      // Nodes that load the dataset need the newest.
      try store.removeArchive(archives[1])
      try demand(
        try store.checkpoints(of: id).map(\.archive), is: [archives[1], archives[4], archives[2]])
    },

    SharedLogContract(name: "a checkpoint is at any entry of an append") { store in
      let begin = try ContractTools.make("feed", in: store)
      let requests = ContractTools.requests([[1], [2], [3], [4]])
      let first = try ContractTools.append(Array(requests[..<3]), after: begin, to: store)
      let last = try ContractTools.append([requests[3]], after: first.head, to: store)
      let entries = first.entries + last.entries
      let id = begin.position.dataset
      for entry in entries {
        let archive = try store.beginArchive(of: id)
        let position = SharedPosition(dataset: id, sequence: entry.sequence, chain: entry.chain)
        var parted = position
        parted.chain = begin.begin
        try demand(try store.publishCheckpoint(archive, at: parted, digest: []), is: false)
        try demand(try store.publishCheckpoint(archive, at: position, digest: []), is: true)
      }
      try store.cut(id, upTo: 2)
      try demand(try ContractTools.all(of: id, in: store), is: Array(entries[2...]))
      let archive = try store.beginArchive(of: id)
      let deleted = SharedPosition(dataset: id, sequence: 2, chain: entries[1].chain)
      try demand(try store.publishCheckpoint(archive, at: deleted, digest: []), is: false)
    },

    SharedLogContract(name: "the cost after the newest checkpoint follows from the log") { store in
      var head = try ContractTools.make("feed", in: store)
      func append(_ cost: Int) throws {
        let append = SharedAppend(
          ContractTools.requests([[1]]), to: head.position.dataset, epoch: head.epoch, cost: cost)
        try demand(try store.append([append])[0].get() != .refused, "the append is refused")
        guard let present = try store.dataset(named: "feed") else {
          throw BrokenContract(description: "the dataset is gone")
        }
        head = present
      }
      let id = head.position.dataset
      func publish(at head: SharedHead, covering cost: Int) throws {
        let archive = try store.beginArchive(of: id)
        try demand(
          try store.publishCheckpoint(archive, at: head.position, digest: [], covering: cost),
          is: true)
      }
      try append(5)
      try demand([head.cost, head.coveredCost], is: [5, 0])
      let first = head
      try append(1 << 40)
      try publish(at: head, covering: 7)
      // A checkpoint that is published late does not reduce what a newer one covers.
      try publish(at: first, covering: 5)
      try append(2)
      try demand([head.cost, head.coveredCost], is: [(1 << 40) + 7, 7])
    },

    SharedLogContract(name: "one caller makes a checkpoint") { store in
      let head = try ContractTools.make("feed", in: store)
      let id = head.position.dataset
      try demand(try store.claimCheckpoint(of: id, for: 3_600), is: true)
      try demand(try store.claimCheckpoint(of: id, for: 3_600), is: false)
      let other = try ContractTools.make("other", in: store)
      try demand(try store.claimCheckpoint(of: other.position.dataset, for: -1), is: true)
      // The first claim has expired.
      try demand(try store.claimCheckpoint(of: other.position.dataset, for: 3_600), is: true)
      try demand(
        try store.publishCheckpoint(try store.beginArchive(of: id), at: head.position, digest: []),
        is: true)
      try demand(try store.claimCheckpoint(of: id, for: 3_600), is: true)
      try demand(try store.claimCheckpoint(of: 9_999_999, for: 1), is: false)
    },

    SharedLogContract(name: "unreferenced archives are swept") { store in
      let begin = try ContractTools.make("feed", in: store)
      let id = begin.position.dataset
      let archives = try (0..<4).map { _ in try store.beginArchive(of: id) }
      for archive in archives { try store.putChunk([UInt8(archive % 256)], number: 0, of: archive) }
      var head = try ContractTools.append([[1]], after: begin, to: store)
      head = try ContractTools.append([Self.naming(archives[1])], after: head, to: store).head
      head = try ContractTools.append([[3]], after: head, to: store)
      try demand(try store.publishCheckpoint(archives[2], at: head.position, digest: [1]), is: true)
      // A young archive may still be published.
      try demand(try store.sweepArchives(olderThan: 3_600), is: 0)
      try demand(try store.chunk(0, of: archives[0]) != nil, "a young archive was swept")
      try demand(try store.sweepArchives(olderThan: -1), is: 2)
      let isThere = try archives.map { try store.chunk(0, of: $0) != nil }
      try demand(isThere, is: [false, true, true, false])
      // The archive that an entry names is removed together with the entry; the checkpoint stays.
      try store.cut(id, upTo: 1)
      _ = try store.sweepArchives(olderThan: -1)
      try demand(try store.chunk(0, of: archives[1]) != nil, "the archive went before its entry")
      try store.cut(id, upTo: 3)
      _ = try store.sweepArchives(olderThan: -1)
      try demand(try store.chunk(0, of: archives[1]), is: nil)
      try demand(try store.sweepArchives(olderThan: -1), is: 0)
      try demand(try store.checkpoints(of: id).map(\.archive), is: [archives[2]])
    },

    SharedLogContract(name: "an entry that names a swept archive is not appended") { store in
      let head = try ContractTools.make("feed", in: store)
      let archive = try store.beginArchive(of: nil)
      try demand(try store.sweepArchives(olderThan: -1), is: 1)
      try demandFailure {
        _ = try store.append([Self.naming(archive)], to: head.position.dataset)
      }
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [])
    },

    SharedLogContract(name: "an archive that an entry names is not removed") { store in
      let begin = try ContractTools.make("feed", in: store)
      let archive = try store.beginArchive(of: nil)
      try store.putChunk([1], number: 0, of: archive)
      _ = try ContractTools.append([Self.naming(archive)], after: begin, to: store)
      try store.removeArchive(archive)
      _ = try store.sweepArchives(olderThan: -1)
      try demand(try store.chunk(0, of: archive), is: [1])
      try demand(try store.sweepArchives(olderThan: -1), is: 0)
    },

    SharedLogContract(name: "a dataset and its first archive are created together") { store in
      let chain: [UInt8] = [1, 2, 3]
      func create(_ name: String, _ first: SharedRequest) throws -> (SharedHead, SharedEntry) {
        let head = try store.createDataset(named: name, chain: chain, time: 7, beginningWith: first)
        return (
          head,
          [first].entries(from: 1, before: chain, chain: head.position.chain)[0]
        )
      }
      let archive = try store.beginArchive(of: nil)
      try store.putChunk([1], number: 0, of: archive)
      let first = Self.naming(archive)
      let (head, entry) = try create("feed", first)
      try demand(head.position.chain != chain, "the chain is the one before the entry")
      try demand(
        head,
        is: SharedHead(
          name: "feed", nameTag: head.nameTag, epoch: head.epoch,
          position: SharedPosition(dataset: head.position.dataset, sequence: 1, chain: entry.chain),
          cut: 0, begin: chain, time: 7))
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [entry])
      // As after a lost answer.
      try demand(try create("feed", first).0, is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [entry])
      try demand(try store.sweepArchives(olderThan: -1), is: 0)
      try demand(try store.chunk(0, of: archive), is: [1])
      // An archive that no longer exists.
      let gone = try store.beginArchive(of: nil)
      try store.removeArchive(gone)
      try demandFailure { _ = try create("other", Self.naming(gone)) }
      try demand(try store.dataset(named: "other"), is: nil)
      // The archive is removed together with the dataset.
      try demand(try store.removeDataset(head.position.dataset, named: head.name), is: true)
      _ = try store.sweepArchives(olderThan: -1)
      try demand(try store.chunk(0, of: archive), is: nil)
    },

    SharedLogContract(name: "the archive of a refused append can be swept") { store in
      let head = try ContractTools.make("feed", in: store)
      let archive = try store.beginArchive(of: nil)
      let id = head.position.dataset
      try demand(try store.append([Self.naming(archive)], to: id, named: "other"), is: .refused)
      try demand(try store.append([Self.naming(archive)], to: id, epoch: 2), is: .refused)
      // An archive may require the position that it was made from.
      var elsewhere = head.position
      elsewhere.sequence = 1
      try demand(try store.append([Self.naming(archive)], to: id, at: elsewhere), is: .refused)
      elsewhere = head.position
      elsewhere.chain[0] ^= 1
      try demand(try store.append([Self.naming(archive)], to: id, at: elsewhere), is: .refused)
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try store.sweepArchives(olderThan: -1), is: 1)
      let other = try store.beginArchive(of: nil)
      let appending = try store.append([Self.naming(other)], to: id, at: head.position)
      try demand(appending != .refused, "an archive from the last position is refused")
    },
  ]

  /// Returns a request that names an archive.
  private static func naming(_ archive: Int64) -> SharedRequest {
    let archive = SharedArchive(number: archive, isReplacement: false, digest: [7])
    return SharedRequest(
      .archive, named: .randomName(), payload: NamedArchive(archive).encode(), time: 3)
  }
}
