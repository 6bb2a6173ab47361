import LayoutCache
import LayoutCluster

extension SharedLogContract {
  static let images: [SharedLogContract] = [
    SharedLogContract(name: "an image has the chunks that were stored last") { store in
      let image = try store.beginImage(of: nil)
      let other = try store.beginImage(of: nil)
      try demand(image != other, "two images have a number")
      let large = [UInt8](repeating: 0xA5, count: 256 << 10)
      try store.putChunk(large, number: 1, of: image)
      try store.putChunk([1], number: 0, of: image)
      // As after a lost answer.
      try store.putChunk([1], number: 0, of: image)
      try store.putChunk([], number: 2, of: image)
      try store.putChunk([9], number: 0, of: other)
      try demand(try store.chunk(0, of: image), is: [1])
      try demand(try store.chunk(1, of: image), is: large)
      try demand(try store.chunk(2, of: image), is: [])
      try demand(try store.chunk(3, of: image), is: nil)
      try store.removeImage(image)
      try demand(try store.chunk(0, of: image), is: nil)
      try demand(try store.chunk(0, of: other), is: [9])
      try store.removeImage(image)
      // Whoever goes on with it may hear of that now, or where it is to be named.
      do { try store.putChunk([1], number: 3, of: image) } catch is SharedLogFailure {}
      try demand(try store.chunk(3, of: image), is: nil)
    },

    SharedLogContract(name: "a checkpoint stands at a place that the log has been at, once") {
      store in
      let begin = try ContractTools.make("feed", in: store)
      let middle = try ContractTools.append([[1], [2]], behind: begin, to: store)
      let head = try ContractTools.append([[3]], behind: middle, to: store)
      let id = head.position.dataset
      let images = try (0..<5).map { _ in try store.beginImage(of: id) }
      try demand(try store.checkpoints(of: id), is: [])
      try demand(
        try store.publishCheckpoint(images[0], at: middle.position, digest: [1]), is: true)
      try demand(
        try store.publishCheckpoint(images[1], at: middle.position, digest: [2]), is: false)
      try demand(
        try store.publishCheckpoint(images[1], at: head.position, digest: [3]), is: true)
      try demand(
        try store.publishCheckpoint(images[2], at: begin.position, digest: [4]), is: true)
      var other = head.position
      other.sequence = 1
      try demand(try store.publishCheckpoint(images[3], at: other, digest: [5]), is: false)
      other.sequence = 4
      try demand(try store.publishCheckpoint(images[3], at: other, digest: [5]), is: false)
      try store.removeImage(images[3])
      let further = try ContractTools.append([[4]], behind: head, to: store)
      try demand(
        try store.publishCheckpoint(images[3], at: further.position, digest: [5]), is: false)
      func checkpoint(_ image: Int64, _ head: SharedHead, _ digest: UInt8) -> SharedCheckpoint {
        SharedCheckpoint(image: image, position: head.position, digest: [digest])
      }
      try demand(
        try store.checkpoints(of: id),
        is: [
          checkpoint(images[1], head, 3), checkpoint(images[0], middle, 1),
          checkpoint(images[2], begin, 4),
        ])
      try store.removeImage(images[0])
      try demand(
        try store.checkpoints(of: id),
        is: [checkpoint(images[1], head, 3), checkpoint(images[2], begin, 4)])
      try demand(
        try store.publishCheckpoint(images[4], at: middle.position, digest: [6]), is: true)
    },

    SharedLogContract(name: "images that nothing names are swept") { store in
      let begin = try ContractTools.make("feed", in: store)
      let id = begin.position.dataset
      let images = try (0..<4).map { _ in try store.beginImage(of: id) }
      for image in images { try store.putChunk([UInt8(image % 256)], number: 0, of: image) }
      var entries = ContractTools.batches([[1], [2], [3]], behind: begin)
      entries[1] = Self.naming(images[1], entries[1])
      try demand(
        try store.append(entries, behind: begin.position, epoch: begin.epoch), is: .appended)
      let head = ContractTools.moved(begin, behind: entries)
      try demand(
        try store.publishCheckpoint(images[2], at: head.position, digest: [1]), is: true)
      // A young one may yet be published.
      try demand(try store.sweepImages(olderThan: 3_600), is: 0)
      try demand(try store.chunk(0, of: images[0]) != nil, "a young image was swept")
      try demand(try store.sweepImages(olderThan: -1), is: 2)
      let isThere = try images.map { try store.chunk(0, of: $0) != nil }
      try demand(isThere, is: [false, true, true, false])
      // The one that an entry names goes when the entry has gone, the checkpoint does not.
      try store.cut(id, upTo: 1)
      _ = try store.sweepImages(olderThan: -1)
      try demand(try store.chunk(0, of: images[1]) != nil, "the image went before the entry")
      try store.cut(id, upTo: 3)
      _ = try store.sweepImages(olderThan: -1)
      try demand(try store.chunk(0, of: images[1]), is: nil)
      try demand(try store.sweepImages(olderThan: -1), is: 0)
      try demand(try store.checkpoints(of: id).map(\.image), is: [images[2]])
    },

    SharedLogContract(name: "an entry that names a swept image does not get in") { store in
      let head = try ContractTools.make("feed", in: store)
      let image = try store.beginImage(of: nil)
      try demand(try store.sweepImages(olderThan: -1), is: 1)
      let entries = ContractTools.batches([[1], [2]], behind: head)
      try demandFailure {
        _ = try store.append(
          [entries[0], Self.naming(image, entries[1])], behind: head.position,
          epoch: head.epoch)
      }
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [])
    },

    SharedLogContract(name: "an image that an entry names is not removed") { store in
      let begin = try ContractTools.make("feed", in: store)
      let image = try store.beginImage(of: nil)
      try store.putChunk([1], number: 0, of: image)
      let entry = Self.naming(image, ContractTools.batches([[1]], behind: begin)[0])
      try demand(
        try store.append([entry], behind: begin.position, epoch: begin.epoch), is: .appended)
      try store.removeImage(image)
      _ = try store.sweepImages(olderThan: -1)
      try demand(try store.chunk(0, of: image), is: [1])
      try demand(try store.sweepImages(olderThan: -1), is: 0)
    },

    SharedLogContract(name: "a dataset begins with an image, or there is neither") { store in
      let chain: [UInt8] = [1, 2, 3]
      func create(_ name: String, _ image: Int64) throws -> (SharedHead, SharedEntry) {
        var entry = Self.naming(
          image, ContractTools.batches([[1]], behind: try ContractTools.make("o", in: store))[0])
        (entry.sequence, entry.revision) = (1, 1)
        entry = entry.sealed(behind: chain)
        return (
          try store.createDataset(named: name, chain: chain, time: 7, beginningWith: entry), entry
        )
      }
      let image = try store.beginImage(of: nil)
      try store.putChunk([1], number: 0, of: image)
      let (head, entry) = try create("feed", image)
      try demand(
        head,
        is: SharedHead(
          name: "feed", epoch: head.epoch,
          position: SharedPosition(
            dataset: head.position.dataset, sequence: 1, chain: entry.chain),
          revision: 1, cut: 0, begin: chain, time: 7))
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [entry])
      // As after a lost answer.
      try demand(try create("feed", image).0, is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [entry])
      try demand(try store.sweepImages(olderThan: -1), is: 0)
      try demand(try store.chunk(0, of: image), is: [1])
      // One that is gone.
      let gone = try store.beginImage(of: nil)
      try store.removeImage(gone)
      try demandFailure { _ = try create("other", gone) }
      try demand(try store.dataset(named: "other"), is: nil)
      // The image goes with the dataset.
      try demand(try store.removeDataset(head.position.dataset), is: true)
      _ = try store.sweepImages(olderThan: -1)
      try demand(try store.chunk(0, of: image), is: nil)
    },

    SharedLogContract(name: "who names an image and is behind leaves it to be swept") { store in
      let begin = try ContractTools.make("feed", in: store)
      let head = try ContractTools.append([[1]], behind: begin, to: store)
      let image = try store.beginImage(of: nil)
      let late = Self.naming(image, ContractTools.batches([[2]], behind: begin)[0])
      try demand(
        try store.append([late], behind: begin.position, epoch: begin.epoch), is: .behind)
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try store.sweepImages(olderThan: -1), is: 1)
    },
  ]

  /// The entry that names an image in place of another.
  private static func naming(_ image: Int64, _ entry: SharedEntry) -> SharedEntry {
    var entry = entry
    entry.kind = .image
    entry.payload = SharedImage(number: image, isReplacement: false, digest: [7]).encode()
    return entry
  }
}
