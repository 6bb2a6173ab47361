import ClusterSimulation
import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization
import Testing

// Loading the archives of imports: blocking, damage, checkpoints and cuts.

@Suite struct ImportLoadTests {
  static let dataset = ImportTests.dataset
  let cluster: TestCluster
  let tests: ImportTests

  init() throws {
    tests = try ImportTests()
    cluster = tests.cluster
  }

  /// Runs `body` in a separate thread, and waits for its end.
  private static func elsewhere(_ body: @escaping @Sendable () throws -> Void) throws {
    let failure = Mutex<(any Error)?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    let box = Box(failure)
    DispatchQueue.global().async {
      do { try body() } catch { box.value.withLock { $0 = error } }
      isDone.signal()
    }
    isDone.wait()
    if let error = box.value.withLock({ $0 }) { throw error }
  }

  private final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
  }

  /// Neither uploading nor loading an archive blocks other datasets; if it did, this test would
  /// never end. Uploading does not even block its own dataset.
  @Test func onlyTheLoadedDatasetWaits() throws {
    for name in [Self.dataset, "other"] {
      _ = try ImportTests.items(0..<20, mode: .create).run(on: cluster[0], into: name)
      try cluster.follow(name)
    }
    let (cluster, tests) = (cluster, tests)
    let counts = Mutex((given: 0, loaded: 0))
    cluster.store.onCall { call in
      switch call {
      case .putChunk(let number):
        counts.withLock { $0.given += 1 }
        try Self.elsewhere {
          try tests.insert("p\(number)", by: 0, into: "other")
          try tests.insert("p\(number)", by: 0, into: Self.dataset)
        }
      case .chunk(let number) where number < 5:
        let count = counts.withLock { counts in
          counts.loaded += 1
          return counts.loaded
        }
        try Self.elsewhere {
          for node in 0..<2 {
            try tests.insert("c\(count)", by: node, into: "other")
            _ = try tests.keys(node)
          }
        }
      default: break
      }
    }
    _ = try ImportTests.items(100..<300, mode: .replace).run(on: cluster[0], into: Self.dataset)
    try cluster.follow(Self.dataset)
    cluster.store.onCall(nil)
    try cluster.follow("other")
    let (given, loaded) = counts.withLock { $0 }
    #expect(given > 5 && loaded == 10)
    #expect(try tests.keys(1, of: "other").count == 20 + given + loaded)
    #expect(try tests.keys(1).count == 200)
  }

  /// Returns the number of the archive that the newest entry names.
  private func newestArchive() throws -> Int64 {
    let log = cluster.store.log.state
    let id = try #require(log.dataset(named: Self.dataset)).position.dataset
    return try #require(log.datasets[id]?.entries.last).archive.archive.number
  }

  @Test(arguments: [false, true])
  func damagedArchiveIsNotApplied(isMade: Bool) throws {
    if !isMade {
      _ = try ImportTests.items(0..<20, mode: .create).run(on: cluster[0], into: Self.dataset)
      try cluster.follow(Self.dataset)
    }
    _ = try ImportTests.items(0..<20, mode: .create).run(on: cluster[0], into: "other")
    _ = try ImportTests.items(50..<150, mode: .replace).run(on: cluster[0], into: Self.dataset)
    let archive = try newestArchive()
    let number = 2
    let chunk = try #require(try cluster.store.chunk(number, of: archive))
    var wrong = chunk
    wrong[17] ^= 4
    for bytes in [wrong, [], chunk + [0]] {
      try cluster.store.putChunk(bytes, number: number, of: archive)
      let code = tests.failure {
        try cluster.node(1).ensureResident(Self.dataset)
        try tests.insert("late", by: 1)
      }
      #expect(
        code?.contains("no longer follow the dataset") ?? false, "\(String(describing: code))")
      // The previous state remains, and other datasets continue.
      if !isMade { #expect(try tests.keys(1).contains("i0")) }
      try cluster.follow("other")
      try tests.insert("more\(bytes.count)", by: 1, into: "other")
      #expect(try cluster[1].verify().problems == [])
    }
    try cluster.store.putChunk(chunk, number: number, of: archive)
    try cluster.node(1).rebuild(Self.dataset)
    try tests.insert("late", by: 1)
    #expect(try tests.keys(1).count == 101)
  }

  /// The partly loaded archive of a node that died is reclaimed by the next load.
  @Test func interruptedLoadIsReclaimed() throws {
    struct Stop: Error {}
    _ = try ImportTests.items(0..<20, mode: .create).run(on: cluster[0], into: Self.dataset)
    try cluster.follow(Self.dataset)
    _ = try ImportTests.items(100..<300, mode: .replace).run(on: cluster[0], into: Self.dataset)
    let before = try cluster.contents(of: Self.dataset)[0]
    _ = try ImportTests.items(300..<500, mode: .replace).run(on: cluster[0], into: Self.dataset)
    cluster.store.onCall { if $0 == .chunk(4) { throw Stop() } }
    try cluster.node(1).poll()
    cluster.store.onCall(nil)
    #expect(try Contents(of: Self.dataset, in: cluster[1]) == before)
    #expect(try cluster[1].verify().problems == [])
    try cluster.follow(Self.dataset)
    #expect(try tests.keys(1).contains("i499"))
  }
}
