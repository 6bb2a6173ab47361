import LayoutCache
import LayoutCluster
import Synchronization

extension SharedLogContract {
  static let datasets: [SharedLogContract] = [
    SharedLogContract(name: "a new dataset is empty") { store in
      let begin = [UInt8](repeating: 7, count: 32)
      let head = try store.createDataset(named: "feed", chain: begin, time: 99)
      try demand(
        head,
        is: SharedHead(
          name: "feed", nameTag: head.nameTag, epoch: head.epoch,
          position: SharedPosition(dataset: head.position.dataset, sequence: 0, chain: begin),
          cut: 0, begin: begin, time: 99))
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try store.dataset(named: "fee"), is: nil)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: [])
      try demand(try store.checkpoints(of: head.position.dataset), is: [])
    },

    SharedLogContract(name: "a name has one dataset, identified by its first chain") { store in
      let first = try store.createDataset(named: "feed", chain: [1, 2, 3], time: 1)
      try demand(try store.createDataset(named: "feed", chain: [4], time: 2), is: first)
      // As after a lost answer.
      try demand(try store.createDataset(named: "feed", chain: [1, 2, 3], time: 1), is: first)
      let moved = try ContractTools.append([[9]], after: first, to: store)
      try demand(try store.createDataset(named: "feed", chain: [5], time: 3), is: moved)
      try demand(moved.begin, is: [1, 2, 3])
    },

    SharedLogContract(name: "datasets are listed in the byte order of their names") { store in
      let names = ["b", "a", "Z", "é", "e\u{301}", "a-1", "日本", "a b", "_"]
      for name in names { _ = try ContractTools.make(name, in: store) }
      let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      func all(_ after: String?, _ count: Int) throws -> [[UInt8]] {
        try store.datasets(after: after, countMax: count).map { Array($0.name.utf8) }
      }
      try demand(try all(nil, 100), is: sorted.map { Array($0.utf8) })
      var seen: [[UInt8]] = []
      var last: String?
      while let page = Optional(try store.datasets(after: last, countMax: 2)), !page.isEmpty {
        seen += page.map { Array($0.name.utf8) }
        last = page.last?.name
      }
      try demand(seen, is: sorted.map { Array($0.utf8) })
      try demand(try all("a", 1), is: [Array("a b".utf8)])
      try demand(try all("日本", 5), is: [])
      // No dataset has such a name, and the log stays available.
      try demand(try store.dataset(named: "a\0"), is: nil)
      try demand(try store.dataset(named: "\0"), is: nil)
      try demand(try all("a\0z", 1), is: [Array("a b".utf8)])
      try demand(try all("\0", 100).count, is: names.count)
    },

    SharedLogContract(name: "heads are returned for existing datasets only") { store in
      let heads = try ["a", "b", "c"].map { try ContractTools.make($0, in: store) }
      let moved = try ContractTools.append([[1], [2]], after: heads[1], to: store)
      _ = try store.removeDataset(heads[2].position.dataset, named: "c")
      let asked = heads.map(\.position.dataset) + [9_999_999]
      try demand(Set(try store.heads(of: asked)), is: [heads[0], moved])
      try demand(try store.heads(of: []), is: [])
    },

    SharedLogContract(name: "a removed dataset is gone with its log") { store in
      let head = try ContractTools.append(
        [[1], [2]], after: try ContractTools.make("feed", in: store), to: store)
      let archive = try store.beginArchive(of: head.position.dataset)
      try store.putChunk([1], number: 0, of: archive)
      try demand(try store.publishCheckpoint(archive, at: head.position, digest: [5]), is: true)
      let id = head.position.dataset
      try demand(try store.removeDataset(id, named: "other"), is: false)
      var earlier = head.position
      earlier.chain = head.begin
      try demand(try store.removeDataset(id, named: "feed", at: earlier), is: false)
      let tag = head.nameTag
      try demand(
        try store.renameDataset(id, tagged: tag, to: "b", tagged: tag, at: earlier), is: false)
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(
        try store.renameDataset(id, tagged: tag, to: "feed", tagged: tag, at: head.position),
        is: true)
      try demand(try store.removeDataset(id, named: "feed", at: head.position), is: true)
      try demand(try store.removeDataset(id, named: "feed"), is: false)
      try demand(try store.dataset(named: "feed"), is: nil)
      try demand(try store.datasets(after: nil, countMax: 5), is: [])
      try demand(try store.append(ContractTools.requests([[3]]), to: id), is: .refused)
      try demand(try store.tail(of: id, after: 0, bytesMax: 9), is: nil)
      try demand(try store.claimCheckpoint(of: id, for: 1), is: false)
      try demand(try ContractTools.rename(head, to: "other", in: store), is: false)
      try demand(try store.checkpoints(of: head.position.dataset), is: [])
      let other = try ContractTools.make("feed", in: store)
      try demand(other.position.dataset != head.position.dataset, "the number was reused")
      try demand(try ContractTools.all(of: other.position.dataset, in: store), is: [])
    },

    SharedLogContract(name: "a renamed dataset keeps its identity and log") { store in
      let head = try ContractTools.append(
        [[1]], after: try ContractTools.make("feed", in: store), to: store)
      _ = try ContractTools.make("other", in: store)
      let id = head.position.dataset
      func rename(to name: String, _ tag: UInt8) throws -> Bool {
        try store.renameDataset(
          id, tagged: head.nameTag, to: name, tagged: [UInt8](repeating: tag, count: 16))
      }
      try demand(try rename(to: "other", 1), is: false)
      try demand(try store.look(at: [id]).heads, is: [head])
      try demand(try rename(to: "third", 2), is: true)
      try demand(try store.removeDataset(id, named: "feed"), is: false)
      var renamed = head
      renamed.name = "third"
      renamed.nameTag = [UInt8](repeating: 2, count: 16)
      try demand(try store.dataset(named: "third"), is: renamed)
      try demand(try store.dataset(named: "feed"), is: nil)
      _ = try ContractTools.append([[2]], after: renamed, to: store)
    },

    SharedLogContract(name: "templates are replaced in order, each time at most once") { store in
      try demand(try store.templates(), is: SharedTemplates())
      try demand(try store.look(at: []).info.templates, is: 0)
      let first = SharedTemplates(number: 1, bytes: [1, 0, 255])
      let second = SharedTemplates(number: 2, bytes: [UInt8](repeating: 7, count: 100_000))
      try demand(try store.putTemplates(second), is: false)
      try demand(try store.putTemplates(first), is: true)
      try demand(try store.putTemplates(first), is: false)
      try demand(try store.putTemplates(SharedTemplates(number: 1, bytes: [2])), is: false)
      try demand(try store.templates(), is: first)
      try demand(try store.putTemplates(second), is: true)
      try demand(try store.templates(), is: second)
      try demand(try store.look(at: []).info.templates, is: 2)
    },

    SharedLogContract(name: "a rename is made at most once") { store in
      let head = try ContractTools.make("feed", in: store)
      let id = head.position.dataset
      try demand(head.nameTag.count, is: 16)
      let other = try ContractTools.make("other", in: store)
      try demand(head.nameTag != other.nameTag, "two datasets have the same tag")
      let tags = (1...3).map { [UInt8](repeating: $0, count: 16) }
      func rename(_ tag: [UInt8], to name: String, _ newTag: [UInt8]) throws -> Bool {
        try store.renameDataset(id, tagged: tag, to: name, tagged: newTag)
      }
      try demand(try rename(head.nameTag, to: "second", tags[0]), is: true)
      // As after a lost answer: at the new name, and after another client has renamed it back.
      try demand(try rename(head.nameTag, to: "second", tags[0]), is: false)
      try demand(try rename(tags[0], to: "feed", tags[1]), is: true)
      try demand(try rename(head.nameTag, to: "second", tags[0]), is: false)
      try demand(try store.dataset(named: "feed")?.nameTag, is: tags[1])
      // To its own name.
      try demand(try rename(tags[1], to: "feed", tags[2]), is: true)
      try demand(
        try store.renameDataset(9_999_999, tagged: tags[2], to: "b", tagged: tags[0]), is: false)
      try demand(try store.removeDataset(id, named: "feed"), is: true)
      try demand(try rename(tags[2], to: "feed", tags[0]), is: false)
      try demand(try store.dataset(named: "feed"), is: nil)
    },

    SharedLogContract(name: "layout numbers are unique", needsThreads: true) { store in
      let numbers = Mutex<[Int64]>([])
      try inThreads(4) { _ in
        for count in 1...25 {
          let first = try store.reserveLayoutIDs(count)
          numbers.withLock { $0 += first..<first + Int64(count) }
        }
      }
      let all = numbers.withLock { $0 }
      try demand(Set(all).count, is: 4 * 25 * 26 / 2)
      try demand(all.allSatisfy { $0 > 0 }, "\(all)")
    },

    SharedLogContract(name: "a poll returns the log's properties and heads") { store in
      let head = try ContractTools.make("feed", in: store)
      let look = try store.look(at: [head.position.dataset])
      try demand(look.info.incarnation.count, is: 16)
      try demand(look.info.isNameReplaced, is: false)
      try demand(look.heads, is: [head])
      try demand(try store.look(at: []), is: SharedLook(info: look.info, heads: []))
    },
  ]
}
