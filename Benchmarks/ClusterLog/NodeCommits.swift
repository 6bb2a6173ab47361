import Foundation
import LayoutCache
import LayoutCluster
import LayoutReplication
import PostgresLog

/// Commits through nodes with a file each, over one log.
///
/// A dataset belongs to one node, as with hashing of its name: all its clients use that node.
/// With `isSpread` the clients of the only dataset use all nodes, which race.
struct NodeCommits {
  let log: PostgresLog
  let nodeCount: Int
  let clientCount: Int
  let datasetCount: Int
  /// The number of items that each commit appends.
  let itemCount: Int
  let seconds: Double
  let isSpread: Bool

  /// - Returns: Commits per second, their median and 99th percentile in milliseconds, and the
  ///   processor time of this process in microseconds per commit.
  func run() throws -> [Double] {
    let nodes = try (0..<nodeCount).map { _ in try BenchNode(log) }
    let stamp = [UInt8].randomName()[0]
    let names = (0..<datasetCount).map { "feed-\(stamp)-\(secondsNow())-\($0)" }
    _ = try inThreads(nodeCount) { number in
      for index in names.indices where index % nodeCount == number {
        try nodes[number].makeFeed(names[index])
      }
    }
    if isSpread { for node in nodes { try node.node.ensureResident(names[0]) } }
    // The script that measures the written bytes reads the server's log position now.
    print("begin")
    fflush(nil)
    let before = processorSeconds()
    let counts = try inThreads(clientCount) { client in
      let number = datasetCount == 1 && !isSpread ? 0 : client % nodeCount
      let own =
        isSpread || datasetCount == 1
        ? names : names.indices.filter { $0 % nodeCount == number }.map { names[$0] }
      return try commit(to: own, through: nodes[number].cache)
    }
    let processor = processorSeconds() - before
    let times = counts.flatMap { $0 }.sorted()
    return [
      Double(times.count) / seconds, times[times.count / 2] * 1000,
      times[times.count * 99 / 100] * 1000, processor / Double(times.count) * 1e6,
    ]
  }

  /// - Returns: The duration of each commit, in seconds.
  private func commit(to names: [String], through cache: LayoutCache) throws -> [Double] {
    var random = BenchRandom()
    var times: [Double] = []
    var now = secondsNow()
    let end = now + seconds
    while now < end {
      let name = names[Int.random(in: names.indices, using: &random)]
      try cache.update(name, with: [BenchFeed.page(of: itemCount, using: &random)])
      let done = secondsNow()
      times.append(done - now)
      now = done
    }
    return times
  }
}
