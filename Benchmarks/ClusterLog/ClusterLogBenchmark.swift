import Dispatch
import LayoutCache
import LayoutCluster
import LayoutReplication
import PostgresLog
import Synchronization

/// Appends to a log in PostgreSQL from several threads, for `Scripts/bench-cluster-log.sh`.
///
///     ClusterLogBenchmark URL init
///     ClusterLogBenchmark URL append THREADS DATASETS ENTRIES BYTES SECONDS
///     ClusterLogBenchmark URL poll DATASETS SECONDS
///     ClusterLogBenchmark URL nodes NODES CLIENTS DATASETS ITEMS SECONDS SPREAD
///     ClusterLogBenchmark URL join ITEMS ROUNDS
///     ClusterLogBenchmark URL waits ITEMS ROUNDS CLIENTS
///
/// `append` spreads the datasets over the threads, or lets them race where there are fewer;
/// each append has ENTRIES entries of BYTES bytes. It prints the entries per second, and the number
/// of appends that another writer preceded.
@main
enum ClusterLogBenchmark {
  static func main() throws {
    let words = Array(CommandLine.arguments.dropFirst())
    let numbers = words.dropFirst(2).compactMap { Int($0) }
    switch (words.dropFirst().first, numbers.count) {
    case ("init", 0): print(try PostgresLog.initialize(words[0], rules: 1))
    case ("append", 5):
      let log = try PostgresLog(words[0])
      let appends = Appends(
        log: log, threads: numbers[0], heads: try datasets(numbers[1], of: log),
        entries: numbers[2], bytes: numbers[3], seconds: numbers[4])
      print(try appends.run())
    case ("poll", 2):
      let log = try PostgresLog(words[0])
      let ids = try datasets(numbers[0], of: log).map(\.position.dataset)
      print(try poll(log, ids, seconds: numbers[1]))
    case ("nodes", 6):
      let commits = NodeCommits(
        log: try PostgresLog(words[0]), nodeCount: numbers[0], clientCount: numbers[1],
        datasetCount: numbers[2], itemCount: numbers[3], seconds: Double(numbers[4]),
        isSpread: numbers[5] != 0)
      show(try commits.run())
    case ("join", 2):
      let join = NodeJoin(
        log: try PostgresLog(words[0]), itemCount: numbers[0], rounds: numbers[1])
      try join.run()
    case ("waits", 3):
      let join = NodeJoin(
        log: try PostgresLog(words[0]), itemCount: numbers[0], rounds: numbers[1])
      try NodeJoinWaits(join: join, clientCount: numbers[2]).run()
    default: print("see Benchmarks/ClusterLog/ClusterLogBenchmark.swift for how to use it")
    }
  }

  private static func datasets(_ count: Int, of log: PostgresLog) throws -> [SharedHead] {
    try (0..<count).map {
      try log.createDataset(named: "feed-\($0)", chain: .randomName(), time: 0, beginningWith: nil)
    }
  }

  private static func poll(_ log: PostgresLog, _ ids: [Int64], seconds: Int) throws -> String {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    var count = 0
    while clock.now < end {
      let heads = try log.look(at: ids).heads
      precondition(heads.count == ids.count)
      count += 1
    }
    return "\(seconds * 1_000_000 / count) us a poll"
  }
}

private struct Appends {
  let log: PostgresLog
  let threads: Int
  let heads: [SharedHead]
  let entries: Int
  let bytes: Int
  let seconds: Int

  func run() throws -> String {
    let group = DispatchGroup()
    let results = Mutex<[Result<(done: Int, lost: Int), any Error>]>([])
    for thread in 0..<threads {
      DispatchQueue(label: "\(thread)").async(group: group) {
        let result = Result { try append(as: thread) }
        results.withLock { $0.append(result) }
      }
    }
    group.wait()
    let counts = try results.withLock { try $0.map { try $0.get() } }
    let done = counts.reduce(0) { $0 + $1.done }
    return "\(done * entries / seconds) \(counts.reduce(0) { $0 + $1.lost })"
  }

  private func append(as thread: Int) throws -> (done: Int, lost: Int) {
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    let share = heads.indices.filter { $0 % threads == thread || heads.count < threads }
    var (done, lost) = (0, 0)
    while clock.now < end {
      let head = heads[share[(done + lost) % share.count]]
      let append = SharedAppend(
        makeRequests(), to: head.position.dataset, epoch: head.epoch, cost: entries)
      switch try log.append([append])[0].get() {
      case .appended: done += 1
      case .refused, .locked: lost += 1
      }
    }
    return (done, lost)
  }

  private func makeRequests() -> [SharedRequest] {
    (0..<entries).map { _ in
      SharedRequest(
        .change, named: .risingName(), payload: [UInt8](repeating: 0x5A, count: bytes),
        time: 1_700_000_000_000)
    }
  }
}
