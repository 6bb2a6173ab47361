import LayoutCache
import LayoutCluster
import LayoutReplication

extension SharedLogContract {
  static let gathered: [SharedLogContract] = [
    SharedLogContract(name: "appends to several datasets equal single appends") { store in
      let begins = try ["a", "b", "c", "d"].map { try ContractTools.make($0, in: store) }
      // A stale position, another epoch and a deleted dataset, between appends that must
      // succeed.
      let ahead = try ContractTools.append([[1], [2]], after: begins[1], to: store)
      var gone = begins[3]
      gone.position.dataset = 9_999_999
      var ended = begins[3]
      ended.epoch += 1
      let entries = (
        ContractTools.batches([[3], [4], []], after: begins[0]),
        ContractTools.batches([[5]], after: ahead)
      )
      let outcomes = try outcomes(
        of: [
          append([[9]], after: gone), append([[8], [9]], after: begins[1]),
          SharedAppend(entries.0, after: begins[0].position, epoch: begins[0].epoch, cost: 3),
          append([[7]], after: ended),
        ], in: store)
      try demand(outcomes, is: [.behind, .behind, .appended, .behind])
      try demand(
        try Self.outcomes(
          of: [
            SharedAppend(entries.1, after: ahead.position, epoch: ahead.epoch, cost: 1),
            append([[6], [7]], after: begins[2]),
          ], in: store),
        is: [.appended, .appended])
      let payloads = try begins.map {
        try ContractTools.all(of: $0.position.dataset, in: store).map(\.payload)
      }
      try demand(payloads, is: [[[3], [4], []], [[1], [2], [5]], [[6], [7]], []])
      try demand(try ContractTools.all(of: begins[0].position.dataset, in: store), is: entries.0)
      try demand(
        try store.dataset(named: "a"), is: ContractTools.moved(begins[0], after: entries.0))
      try demand(try store.dataset(named: "b"), is: ContractTools.moved(ahead, after: entries.1))
    },

    SharedLogContract(name: "appends name the dataset as it is named") { store in
      var heads = try ["a", "b", "c"].map { try ContractTools.make($0, in: store) }
      try demand(try ContractTools.rename(heads[1], to: "é", in: store), is: true)
      func named(_ index: Int, _ name: String?) -> SharedAppend {
        var append = append([[1]], after: heads[index])
        append.name = name
        return append
      }
      for name in ["b", "e\u{301}", "E"] {
        let single = try store.append([named(1, name)])[0].get()
        let several = try outcomes(of: [named(0, name), named(1, name), named(2, "c")], in: store)
        try demand([single] + several, is: .init(repeating: .behind, count: 3) + [.appended])
        heads[2] = try store.heads(of: [heads[2].position.dataset])[0]
      }
      try demand(
        try outcomes(of: [named(0, "a"), named(1, "é"), named(2, nil)], in: store),
        is: [.appended, .appended, .appended])
      heads = try heads.map { try store.heads(of: [$0.position.dataset])[0] }
      try demand(try store.append([named(1, "é")])[0].get(), is: .appended)
    },

    SharedLogContract(name: "one rejected append does not affect the others") { store in
      let begins = try ["a", "b", "c"].map { try ContractTools.make($0, in: store) }
      let head = try ContractTools.append([[1]], after: begins[1], to: store)
      try demand(
        try outcomes(
          of: [
            append([[4]], after: begins[0]), append([[2]], after: begins[1]),
            append([[5]], after: begins[2]),
          ], in: store), is: [.appended, .behind, .appended])
      try demand(try store.dataset(named: "b"), is: head)

      let archive = SharedArchive(number: 9_999_999, isReplacement: false, digest: [7])
      var naming = ContractTools.batches([archive.encode()], after: head)
      naming[0].kind = .archive
      let present = try store.heads(of: [begins[0].position.dataset])
      let results = store.append([
        SharedAppend(
          ContractTools.sealed(naming, after: head), after: head.position, epoch: head.epoch,
          cost: 1),
        append([[6]], after: present[0]),
      ])
      try demandFailure { _ = try results[0].get() }
      try demand(try results[1].get(), is: .appended)
      try demand(try store.dataset(named: "b"), is: head)
      try demand(
        try ContractTools.all(of: begins[0].position.dataset, in: store).map(\.payload),
        is: [[4], [6]])
    },

    SharedLogContract(name: "concurrent grouped appends do not deadlock", needsThreads: true) {
      store in
      let begins = try (0..<6).map { try ContractTools.make("feed \($0)", in: store) }
      try inThreads(2) { thread in
        for _ in 0..<200 {
          // In opposite orders.
          var heads = try store.heads(of: begins.map(\.position.dataset))
          heads.sort { ($0.position.dataset < $1.position.dataset) == (thread == 0) }
          _ = try outcomes(of: heads.map { append([[UInt8(thread)]], after: $0) }, in: store)
        }
      }
      for begin in begins {
        var position = begin.position
        for entry in try ContractTools.all(of: position.dataset, in: store) {
          try demand(entry.isNext(after: position.chain), "entry \(entry.sequence)'s chain")
          position.sequence = entry.sequence
          position.chain = entry.chain
        }
        try demand(try store.heads(of: [position.dataset]).first?.position, is: position)
        try demand(position.sequence >= 200, "only \(position.sequence) were appended")
      }
    },
  ]

  private static func append(_ payloads: [[UInt8]], after head: SharedHead) -> SharedAppend {
    SharedAppend(
      ContractTools.batches(payloads, after: head), after: head.position, epoch: head.epoch,
      cost: payloads.count)
  }

  private static func outcomes(
    of appends: [SharedAppend], in store: any SharedLog
  ) throws -> [SharedAppending] {
    try zip(appends, store.append(appends)).map { append, result in
      // As a node does.
      let outcome = try result.get()
      return outcome == .locked ? try store.append([append])[0].get() : outcome
    }
  }
}
