import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization

extension SharedLogContract {
  static let entries: [SharedLogContract] = [
    SharedLogContract(name: "entries are returned as appended") { store in
      let begin = try ContractTools.make("feed", in: store)
      var requests = ContractTools.requests(
        [[], [0], [UInt8](repeating: 0xFF, count: 70_000), [0, 1, 2]])
      requests[1].kind = .pin
      requests[2].time = .min
      requests[3].time = .max
      let first = try ContractTools.append([requests[0]], after: begin, to: store)
      try demand(try store.dataset(named: "feed"), is: first.head)
      let rest = try ContractTools.append(Array(requests[1...]), after: first.head, to: store)
      try demand(try store.dataset(named: "feed"), is: rest.head)
      let entries = first.entries + rest.entries
      try demand(Set(entries.map(\.chain) + [begin.begin]).count, is: 3)
      // From within an append.
      for sequence in 0...4 {
        let tail = try store.tail(of: begin.position.dataset, after: sequence, bytesMax: .max)
        try demand(
          tail, is: SharedTail(head: rest.head, entries: Array(entries.dropFirst(sequence))))
      }
      try demand(try store.tail(of: 9_999_999, after: 0, bytesMax: 9), is: nil)
      try demand(try store.append(ContractTools.requests([[1]]), to: 9_999_999), is: .refused)
      try demand(
        try store.append(ContractTools.requests([[1]]), to: begin.position.dataset, epoch: 2),
        is: .refused)
    },

    SharedLogContract(name: "an append that is made again has its entries once") { store in
      let begin = try ContractTools.make("feed", in: store)
      let id = begin.position.dataset
      let requests = ContractTools.requests([[1], [2]])
      let appended = try store.append(requests, to: id)
      func isMadeAgain(named name: String? = nil) throws {
        let before = try store.look(at: [id])
        try demand(try store.append(requests, to: id, named: name), is: appended)
        try demand(try store.look(at: [id]), is: before)
      }
      try isMadeAgain()
      guard var head = try store.dataset(named: "feed") else {
        throw BrokenContract(description: "the dataset is gone")
      }
      head = try ContractTools.append([[3]], after: head, to: store)
      try isMadeAgain()
      // Another node may have renamed the dataset, or cut its log, before the append is made again.
      try demand(try ContractTools.rename(head, to: "other", in: store), is: true)
      try isMadeAgain(named: "feed")
      try demand(
        try store.publishCheckpoint(
          try store.beginArchive(of: id), at: head.position, digest: []), is: true)
      try store.cut(id, upTo: 3)
      try isMadeAgain()
      try demand(try ContractTools.all(of: id, in: store), is: [])
      // The log of a removed dataset is gone.
      try demand(try store.removeDataset(id, named: "other"), is: true)
      try demand(try store.append(requests, to: id), is: .refused)
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
          let excess = found.dropFirst(2).reduce(0) { $0 + $1.request.payload.count }
          try demand(excess <= bytesMax, "\(found.count) entries for \(bytesMax) bytes")
          if bytesMax == 100_000 { try demand(found.count, is: all.count - after) }
        }
      }
      try demand(try store.entries(of: head.position.dataset, after: 500, bytesMax: 5), is: [])
    },

    SharedLogContract(name: "cut entries are gone, and the log continues") { store in
      let begin = try ContractTools.make("feed", in: store)
      let requests = ContractTools.requests((0..<20).map { [UInt8($0)] })
      var (entries, head) = try ContractTools.append(requests, after: begin, to: store)
      let id = begin.position.dataset
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
      try demand(try ContractTools.all(of: id, in: store).map(\.request.payload), is: [[99]])
      try store.cut(9_999_999, upTo: 5)
    },

    SharedLogContract(name: "racing appends are all in one sequence", needsThreads: true) {
      store in
      let head = try ContractTools.make("feed", in: store)
      let id = head.position.dataset
      let countEach = 500
      let all = Mutex<[[UInt8]: Int]>([:])
      try inThreads(2) { thread in
        var last = 0
        for number in 0..<countEach {
          let payload = [UInt8(thread), UInt8(number % 256), UInt8(number / 256)]
          // Groups of one to three.
          let requests = ContractTools.requests((0...number % 3).map { payload + [UInt8($0)] })
          let appending = try store.append(requests, to: id)
          guard case .appended(let first, _, _) = appending, first > last else {
            throw BrokenContract(description: "\(appending) after \(last)")
          }
          last = first
          all.withLock { all in
            for (index, request) in requests.enumerated() { all[request.name] = first + index }
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
          (position.sequence, position.chain) = (entry.sequence, entry.chain)
          found[entry.request.name] = entry.sequence
        }
      }
      try demand(found, is: all.withLock { $0 })
      try demand(try store.heads(of: [id]).first?.position, is: position)
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
