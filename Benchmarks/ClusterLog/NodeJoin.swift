import Dispatch
import LayoutCache
import LayoutCluster
import PostgresLog
import Synchronization

/// A node with an empty file joins a long dataset.
struct NodeJoin {
  let log: PostgresLog
  let itemCount: Int
  let rounds: Int

  private var name: String { "long-\(itemCount)" }

  /// Creates the dataset with a checkpoint, if none with that many items exists.
  func prepare() throws {
    if try log.dataset(named: name) != nil { return }
    let maker = try BenchNode(log)
    try maker.makeFeed(name, itemCount: itemCount)
    try maker.node.checkpoint(name)
  }

  /// Prints for each round the seconds for reading only the checkpoint's chunks, for loading it
  /// on a node, and until the node has answered its first query; processor seconds.
  func run() throws {
    try prepare()
    for _ in 0..<rounds {
      let start = secondsNow()
      try readChunks()
      let read = secondsNow()
      let joiner = try BenchNode(log)
      let begun = (wall: secondsNow(), processor: processorSeconds())
      try joiner.node.ensureResident(name)
      let loaded = secondsNow()
      let count = try joiner.query(name)
      precondition(count > 0, "a viewport has elements")
      let done = (wall: secondsNow(), processor: processorSeconds())
      show([
        read - start, loaded - begun.wall, done.wall - begun.wall,
        done.processor - begun.processor,
      ])
    }
  }

  private func readChunks() throws {
    guard let head = try log.dataset(named: name),
      let checkpoint = try log.checkpoints(of: head.position.dataset).first
    else { preconditionFailure("there is a checkpoint") }
    var number = 0
    while try log.chunk(number, of: checkpoint.archive) != nil { number += 1 }
  }
}

/// Commits of one dataset while the same node loads another.
struct NodeJoinWaits {
  let join: NodeJoin
  let clientCount: Int

  /// Prints for each round the commits per second without and with a load, their ratio, the
  /// longest commit of each in milliseconds, and the duration of the load in seconds.
  func run() throws {
    try join.prepare()
    let busy = try BenchNode(join.log)
    let name = "short-\(secondsNow())"
    try busy.makeFeed(name)
    for _ in 0..<join.rounds {
      let alone = try commits(to: name, of: busy) {
        _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 5)
      }
      let during = try commits(to: name, of: busy) {
        try busy.node.ensureResident("long-\(join.itemCount)")
      }
      try busy.node.evict("long-\(join.itemCount)")
      show([
        alone.rate, during.rate, during.rate / alone.rate, alone.longest * 1000,
        during.longest * 1000, during.seconds,
      ])
    }
  }

  /// Commits for as long as `body` takes.
  private func commits(
    to name: String, of node: BenchNode, during body: @escaping @Sendable () throws -> Void
  ) throws -> (rate: Double, longest: Double, seconds: Double) {
    let isOver = Atomic(false)
    let start = secondsNow()
    let times = try inThreads(clientCount + 1) { number -> [Double] in
      if number == 0 {
        defer { isOver.store(true, ordering: .relaxed) }
        try body()
        return []
      }
      var random = BenchRandom()
      var times: [Double] = []
      while !isOver.load(ordering: .relaxed) {
        let begun = secondsNow()
        try node.cache.update(name, with: [BenchFeed.page(of: 1, using: &random)])
        times.append(secondsNow() - begun)
      }
      return times
    }.flatMap { $0 }
    let seconds = secondsNow() - start
    return (Double(times.count) / seconds, times.max() ?? 0, seconds)
  }
}
