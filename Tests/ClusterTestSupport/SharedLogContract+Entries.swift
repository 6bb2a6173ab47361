import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization

extension SharedLogContract {
  static let entries: [SharedLogContract] = [
    SharedLogContract(name: "entries are returned as appended") { store in
      let head = try ContractTools.make("feed", in: store)
      var entries = ContractTools.batches(
        [[], [0], [UInt8](repeating: 0xFF, count: 70_000), [0, 1, 2]], after: head)
      entries[1].request = []
      entries[2].request = [0, 255, 7]
      entries[1].kind = .pin
      entries[1].revision = entries[0].revision
      entries[2].kind = .definition
      entries[3].kind = .rules
      entries[3].time = -5
      entries = ContractTools.sealed(entries, after: head)
      try demand(
        try store.append([entries[0]], after: head.position, epoch: head.epoch), is: .appended)
      let next = ContractTools.moved(head, after: [entries[0]])
      try demand(try store.dataset(named: "feed"), is: next)
      try demand(
        try store.append(
          Array(entries[1...]), after: next.position, epoch: head.epoch), is: .appended)
      try demand(try store.dataset(named: "feed"), is: ContractTools.moved(head, after: entries))
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: entries)
      // From within an append.
      for sequence in 0...4 {
        let tail = try store.tail(of: head.position.dataset, after: sequence, bytesMax: .max)
        try demand(
          tail,
          is: SharedTail(
            head: ContractTools.moved(head, after: entries),
            entries: Array(entries.dropFirst(sequence))))
      }
      try demand(try store.tail(of: 9_999_999, after: 0, bytesMax: 9), is: nil)
    },

    SharedLogContract(name: "a stale position, history or epoch appends nothing") { store in
      let begin = try ContractTools.make("feed", in: store)
      let head = try ContractTools.append([[1], [2]], after: begin, to: store)
      func refused(_ position: SharedPosition, epoch: Int) throws {
        var stale = head
        stale.position = position
        let entries = ContractTools.batches([[3], [4]], after: stale)
        try demand(try store.append(entries, after: position, epoch: epoch), is: .behind)
        try demand(try store.dataset(named: "feed"), is: head)
        try demand(
          try ContractTools.all(of: head.position.dataset, in: store).map(\.payload),
          is: [[1], [2]])
      }
      try refused(begin.position, epoch: head.epoch)
      try refused(head.position, epoch: head.epoch + 1)
      var other = head.position
      other.chain[0] ^= 1
      try refused(other, epoch: head.epoch)
      other = head.position
      other.sequence += 1
      try refused(other, epoch: head.epoch)
      var gone = head
      gone.position.dataset = 9_999_999
      let entries = ContractTools.batches([[3]], after: gone)
      try demand(try store.append(entries, after: gone.position, epoch: head.epoch), is: .behind)
    },

    SharedLogContract(name: "a proposal is appended once") { store in
      let begin = try ContractTools.make("feed", in: store)
      let entries = ContractTools.batches([[1], [2]], after: begin)
      try demand(
        try store.append(entries, after: begin.position, epoch: begin.epoch), is: .appended)
      // The same append again, as after a lost answer: the log has more entries by then.
      try demand(try store.append(entries, after: begin.position, epoch: begin.epoch), is: .behind)
      let head = ContractTools.moved(begin, after: entries)
      try demand(try store.dataset(named: "feed"), is: head)
      try demand(try ContractTools.all(of: head.position.dataset, in: store), is: entries)
    },

    SharedLogContract(name: "entries are read up to a byte limit, at least one") { store in
      var head = try ContractTools.make("feed", in: store)
      // Appends of several entries may be returned together.
      let sizes = [[10], [0, 0], [5], [100, 1], [1]]
      for append in sizes {
        head = try ContractTools.append(
          append.map { [UInt8](repeating: 1, count: $0) }, after: head, to: store)
      }
      let all = try ContractTools.all(of: head.position.dataset, in: store)
      for after in 0...all.count {
        for bytesMax in [0, 1, 16, 106, 1_000, 100_000] {
          let found = try store.entries(of: head.position.dataset, after: after, bytesMax: bytesMax)
          try demand(found.isEmpty, is: after == all.count)
          try demand(found, is: Array(all.dropFirst(after).prefix(found.count)))
          // The limit is exceeded by the first append at most.
          let excess = found.dropFirst(2).reduce(0) { $0 + $1.payload.count }
          try demand(excess <= bytesMax, "\(found.count) entries for \(bytesMax) bytes")
          if bytesMax == 100_000 { try demand(found.count, is: all.count - after) }
        }
      }
      try demand(try store.entries(of: head.position.dataset, after: 500, bytesMax: 5), is: [])
    },

    SharedLogContract(name: "cut entries are gone, and the log continues") { store in
      let begin = try ContractTools.make("feed", in: store)
      let entries = ContractTools.batches((0..<20).map { [UInt8($0)] }, after: begin)
      try demand(
        try store.append(entries, after: begin.position, epoch: begin.epoch), is: .appended)
      let id = begin.position.dataset
      var head = ContractTools.moved(begin, after: entries)
      func isCut(_ sequence: Int, to expected: Int) throws {
        try store.cut(id, upTo: sequence)
        head.cut = expected
        try demand(try store.dataset(named: "feed"), is: head)
        try demand(try ContractTools.all(of: id, in: store), is: Array(entries[expected...]))
      }
      func publish(at sequence: Int) throws {
        let position = SharedPosition(
          dataset: id, sequence: sequence, chain: entries[sequence - 1].chain)
        try demand(
          try store.publishCheckpoint(
            try store.beginArchive(of: id), at: position, digest: []), is: true)
      }
      // Entries that no checkpoint covers are kept, since no node could continue after them.
      try isCut(5, to: 0)
      try publish(at: 10)
      try isCut(0, to: 0)
      try isCut(7, to: 7)
      try isCut(3, to: 7)
      try isCut(7, to: 7)
      try isCut(11, to: 10)
      try publish(at: 20)
      try isCut(1_000, to: 20)
      head = try ContractTools.append([[99]], after: head, to: store)
      try demand(try ContractTools.all(of: id, in: store).map(\.payload), is: [[99]])
      try store.cut(9_999_999, upTo: 5)
    },

    SharedLogContract(name: "one of several racing appends wins a position", needsThreads: true) {
      store in
      let head = try ContractTools.make("feed", in: store)
      let id = head.position.dataset
      let countEach = 500
      let won = Mutex<[[UInt8]: Int]>([:])
      try inThreads(2) { thread in
        var head = head
        for number in 0..<countEach {
          let payload = [UInt8(thread), UInt8(number % 256), UInt8(number / 256)]
          // Groups of one to three.
          let entries = ContractTools.batches(
            (0...number % 3).map { payload + [UInt8($0)] }, after: head)
          switch try store.append(entries, after: head.position, epoch: head.epoch) {
          case .appended:
            head = ContractTools.moved(head, after: entries)
            won.withLock { won in
              for entry in entries { won[entry.proposal] = entry.sequence }
            }
          case .behind:
            guard let present = try store.heads(of: [id]).first else {
              throw BrokenContract(description: "the dataset is gone")
            }
            head = present
          case let other: throw BrokenContract(description: "\(other)")
          }
        }
      }
      var position = head.position
      var found: [[UInt8]: Int] = [:]
      while let page = Optional(
        try store.entries(of: id, after: position.sequence, bytesMax: 1_000)), !page.isEmpty
      {
        for entry in page {
          try demand(entry.sequence, is: position.sequence + 1)
          try demand(entry.isNext(after: position.chain), "entry \(entry.sequence)'s chain")
          position.sequence = entry.sequence
          position.chain = entry.chain
          found[entry.proposal] = entry.sequence
        }
      }
      try demand(found, is: won.withLock { $0 })
      try demand(try store.heads(of: [id]).first?.position, is: position)
      try demand(position.sequence >= countEach, "only \(position.sequence) were appended")
    },
  ]

  /// Runs `body` in separate threads, and throws the first error.
  static func inThreads(
    _ count: Int, _ body: @escaping @Sendable (Int) throws -> Void
  ) throws {
    let failures = Mutex<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      do { try body(index) } catch { failures.withLock { $0.append(error) } }
    }
    if let failure = failures.withLock({ $0.first }) { throw failure }
  }
}
