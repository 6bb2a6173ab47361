import LayoutCache
import LayoutCluster
import LayoutReplication

extension SharedLogContract {
  static let gathered: [SharedLogContract] = [
    SharedLogContract(name: "appends to several datasets equal single appends") { store in
      let begins = try ["a", "b", "c", "d"].map { try ContractTools.make($0, in: store) }
      let ids = begins.map(\.position.dataset)
      let ahead = try ContractTools.append([[1], [2]], after: begins[1], to: store)
      // A deleted dataset, another name and another epoch, between appends that must succeed.
      var later = append([[8]], to: ids[3])
      later.epoch = 2
      let appends = [
        append([[9]], to: 9_999_999), append([[3], [4], []], to: ids[0]), later,
        append([[5]], to: ids[1]), append([[7]], to: ids[2], named: "D"),
      ]
      let found = try outcomes(of: appends, in: store)
      try demand([found[0], found[2], found[4]], is: [.refused, .refused, .refused])
      for (index, head) in [(1, begins[0]), (3, ahead)] {
        guard case .appended(let first, let before, let chain) = found[index] else {
          throw BrokenContract(description: "\(found[index])")
        }
        try demand(before, is: head.position.chain)
        let entries = appends[index].requests.entries(from: first, before: before, chain: chain)
        var moved = head
        moved.position.sequence += entries.count
        moved.position.chain = chain
        moved.cost += entries.count
        try demand(try store.dataset(named: head.name), is: moved)
        let all = try ContractTools.all(of: head.position.dataset, in: store)
        try demand(Array(all.suffix(entries.count)), is: entries)
        try demand(all.count, is: moved.position.sequence)
      }
      for begin in begins[2...] { try demand(try store.dataset(named: begin.name), is: begin) }
    },

    SharedLogContract(name: "appends name the dataset as it is named") { store in
      let heads = try ["a", "b", "c"].map { try ContractTools.make($0, in: store) }
      let ids = heads.map(\.position.dataset)
      try demand(try ContractTools.rename(heads[1], to: "é", in: store), is: true)
      func areRefused(_ names: [String?]) throws -> [Bool] {
        let appends = zip(ids, names).map { append([[1]], to: $0, named: $1) }
        let single = try store.append([append([[1]], to: ids[1], named: names[1])])[0].get()
        return try (outcomes(of: appends, in: store) + [single]).map { $0 == .refused }
      }
      for name in ["b", "e\u{301}", "E"] {
        try demand(try areRefused([name, name, "c"]), is: [true, true, false, true])
      }
      try demand(try areRefused(["a", "é", nil]), is: [false, false, false, false])
      try demand(Set(try store.heads(of: ids).map(\.position.sequence)), is: [1, 2, 4])
    },

    SharedLogContract(name: "one rejected append does not affect the others") { store in
      let begins = try ["a", "b"].map { try ContractTools.make($0, in: store) }
      let archive = SharedArchive(number: 9_999_999, isReplacement: false, digest: [7])
      let naming = SharedRequest(
        .archive, named: .randomName(), payload: NamedArchive(archive).encode(),
        time: 1)
      let results = store.append([
        SharedAppend([naming], to: begins[1].position.dataset, epoch: 1, cost: 1),
        append([[6]], to: begins[0].position.dataset),
      ])
      try demandFailure { _ = try results[0].get() }
      try demand(try results[1].get() != .refused, "the other append is refused")
      try demand(try store.dataset(named: "b"), is: begins[1])
      try demand(
        try ContractTools.all(of: begins[0].position.dataset, in: store).map(\.request.payload),
        is: [[6]])
    },

    SharedLogContract(name: "concurrent grouped appends do not deadlock", needsThreads: true) {
      store in
      let begins = try (0..<6).map { try ContractTools.make("feed \($0)", in: store) }
      try inThreads(2) { thread in
        // In opposite orders.
        let datasets = begins.map(\.position.dataset).sorted { ($0 < $1) == (thread == 0) }
        for _ in 0..<200 {
          let outcomes = try outcomes(
            of: datasets.map { append([[UInt8(thread)]], to: $0) }, in: store)
          try demand(!outcomes.contains(.refused), "\(outcomes)")
        }
      }
      for begin in begins {
        var position = begin.position
        for entry in try ContractTools.all(of: position.dataset, in: store) {
          try demand(entry.isNext(after: position.chain), "entry \(entry.sequence)'s chain")
          (position.sequence, position.chain) = (entry.sequence, entry.chain)
        }
        try demand(try store.heads(of: [position.dataset]).first?.position, is: position)
        try demand(position.sequence, is: 400)
      }
    },
  ]

  private static func append(
    _ payloads: [[UInt8]], to dataset: Int64, named name: String? = nil
  ) -> SharedAppend {
    SharedAppend(
      ContractTools.requests(payloads), to: dataset, epoch: 1, named: name, cost: payloads.count)
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
