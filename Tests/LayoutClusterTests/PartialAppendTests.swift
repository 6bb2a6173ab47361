import ClusterTestSupport
import Dispatch
import Foundation
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization
import TestSupport
import Testing

// Strategy: many threads change a few datasets through one node, without idempotency keys. So
// several changes wait in each queue, and several datasets share an append. Each part of an append
// gets another outcome, and another node appends in between. The log must have each acknowledged
// change once, no rejected one, and one of unknown outcome at most once.

@Suite struct PartialAppendTests {
  private static let names = ["d0", "d1", "d2", "d3"]
  private static let threadCount = 12

  /// A log whose appends have a random outcome for each dataset.
  private final class PartialLog: ForwardingLog {
    struct Seen {
      var gathered = 0
      var grouped = 0
      var outcomes: Set<Int> = []
    }

    let base: any SharedLog
    private let generator: Mutex<SeededGenerator>
    private let seen = Mutex(Seen())
    /// Changes a dataset through another node.
    private let change: @Sendable (Int64) throws -> Void
    private let isOn = Atomic(false)

    init(
      _ base: any SharedLog, seed: UInt64, _ change: @escaping @Sendable (Int64) throws -> Void
    ) {
      self.base = base
      generator = Mutex(SeededGenerator(seed: seed))
      self.change = change
    }

    func turn(on: Bool) { isOn.store(on, ordering: .sequentiallyConsistent) }

    var found: Seen { seen.withLock { $0 } }

    func append(_ appends: [SharedAppend]) -> [Result<SharedAppending, any Error>] {
      guard isOn.load(ordering: .sequentiallyConsistent) else { return base.append(appends) }
      // Others come to wait in the meantime.
      usleep(500)
      seen.withLock { seen in
        if appends.count > 1 { seen.gathered += 1 }
        if appends.contains(where: { $0.requests.count > 1 }) { seen.grouped += 1 }
      }
      return appends.map { append in Result { try self.append(append, isAlone: appends.count == 1) }
      }
    }

    private func append(_ append: SharedAppend, isAlone: Bool) throws -> SharedAppending {
      let outcome = generator.withLock { Int.random(in: 0..<12, using: &$0) }
      seen.withLock { _ = $0.outcomes.insert(outcome) }
      switch outcome {
      case 0: throw SharedLogFailure.busy("locked")
      case 1: throw SharedLogFailure.rejected("no")
      case 2: throw SharedLogFailure.unknown("not applied")
      case 3:
        _ = try base.append([append])[0].get()
        throw SharedLogFailure.unknown("the answer is lost")
      case 4:
        _ = try base.append([append])[0].get()
        try change(append.dataset)
        throw SharedLogFailure.unknown("the answer is lost, and another change follows")
      case 5: try change(append.dataset)
      case 6 where !isAlone: return .locked
      default: break
      }
      return try base.append([append])[0].get()
    }
  }

  private enum Outcome { case committed, refused, unknown }

  private static func write(_ key: String, to name: String, by node: NodeHouse.Node) throws {
    try node.cache.update(
      name, with: [.upsert([try UpsertedItem(key: key, width: 1, height: 1)], section: "s")])
  }

  private static func outcome(_ body: () throws -> Void) -> Outcome? {
    do {
      try body()
      return .committed
    } catch let error as LayoutCacheError {
      if case .outcomeUnknown = error.code { return .unknown }
      return .refused
    } catch {
      return nil
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func eachChangeIsAppliedOnceWhateverItsAppendMeets(seed: UInt64) throws {
    let house = try NodeHouse()
    let other = try house.node("other")
    let ids = Mutex<[Int64: String]>([:])
    let count = Atomic(0)
    let log = PartialLog(house.log, seed: seed) { id in
      guard let name = ids.withLock({ $0[id] }) else { return }
      let number = count.add(1, ordering: .relaxed).newValue
      try Self.write("other\(number);", to: name, by: other)
    }
    let node = try house.node("node", on: log)
    for name in Self.names {
      try node.append(1, to: name)
      let id = try #require(try house.log.dataset(named: name)).position.dataset
      ids.withLock { $0[id] = name }
      _ = try other.node.visit(name)
    }
    log.turn(on: true)
    let outcomes = Mutex<[String: Outcome?]>([:])
    let writes = PropertyRun.steps(15)
    let group = DispatchGroup()
    for thread in 0..<Self.threadCount {
      group.enter()
      Thread.detachNewThread {
        defer { group.leave() }
        for number in 0..<writes {
          let key = "w\(thread)-\(number);"
          let name = Self.names[(thread + number / 4) % Self.names.count]
          let outcome = Self.outcome { try Self.write(key, to: name, by: node) }
          outcomes.withLock { $0[key] = outcome }
        }
      }
    }
    group.wait()
    log.turn(on: false)
    var entries: [SharedEntry] = []
    for id in ids.withLock({ $0.keys.sorted() }) {
      entries += try ContractTools.all(of: id, in: house.log)
    }
    for (key, outcome) in outcomes.withLock({ $0 }) {
      let found = entries.count { $0.request.payload.firstRange(of: Array(key.utf8)) != nil }
      switch outcome {
      case .committed: #expect(found == 1, "seed \(seed): \(key) is acknowledged")
      case .refused: #expect(found == 0, "seed \(seed): \(key) is rejected")
      case .unknown: #expect(found <= 1, "seed \(seed): \(key) is of unknown outcome")
      case nil: Issue.record("seed \(seed): \(key) failed with an unexpected error")
      }
    }
    let seen = log.found
    #expect(seen.gathered > 0 && seen.grouped > 0, "seed \(seed): \(seen)")
    #expect(seen.outcomes.isSuperset(of: 0..<6), "seed \(seed): \(seen)")
    for each in [node, other] { try each.node.poll() }
    for name in Self.names {
      // One node has appended groups, the other one has followed.
      let digests = try [node, other].map {
        try $0.cache.exportReplica(of: name, in: $0.node.log) { _ in }.digest
      }
      #expect(digests[0] == digests[1], "seed \(seed): \(name)")
    }
  }
}
