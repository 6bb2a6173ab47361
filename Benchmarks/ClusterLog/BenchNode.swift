import CollectionLayout
import Foundation
import LayoutCache
import LayoutCluster
import LayoutGeometry
import PostgresLog
import Synchronization

/// A node with a new, empty file, which is deleted with the node.
final class BenchNode: Sendable {
  let cache: LayoutCache
  let node: ClusterNode
  private let folder: String

  init(_ log: PostgresLog) throws {
    folder = NSTemporaryDirectory() + "layoutcache-node-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    cache = try LayoutCache(path: folder + "/node.sqlite")
    node = try ClusterNode(of: log, on: cache)
  }

  deinit {
    // A leftover file is harmless.
    try? cache.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Creates a dataset with one section and a prepared layout.
  func makeFeed(_ name: String, itemCount: Int = 1) throws {
    try node.commit(.create(name))
    try cache.setLayout(BenchFeed.layout(of: name), to: BenchFeed.configuration)
    try cache.update(name, with: [.insertSection(key: BenchFeed.section)])
    var random = BenchRandom()
    for start in stride(from: 0, to: itemCount, by: BenchFeed.batchCount) {
      let count = min(BenchFeed.batchCount, itemCount - start)
      try cache.update(name, with: [BenchFeed.page(of: count, using: &random)])
    }
    _ = try cache.prepare(BenchFeed.layout(of: name))
  }

  /// Queries a viewport at a random position.
  func query(_ name: String) throws -> Int {
    try cache.read(BenchFeed.layout(of: name)) { snapshot in
      let length = snapshot.contentSize.height
      let top = Length(units: Int64.random(in: 0...max(0, length.units)))
      let side = BenchFeed.side
      return try snapshot.elements(in: Rect(x: .zero, y: top, width: side, height: side)).elements
        .count
    }
  }
}

/// Items 200 points wide and 100 to 499 high in a stable waterfall of five columns.
enum BenchFeed {
  static let section = "main"
  static let side = Length.points(1000)
  /// The number of items per batch when many are inserted.
  static let batchCount = 20_000

  static func layout(of dataset: String) -> LayoutID { LayoutID("waterfall", of: dataset) }

  static var configuration: LayoutConfiguration {
    var section = SectionOptions()
    section.kind = .waterfall
    section.columns = 5
    section.itemLength = .natural
    return LayoutConfiguration(container: .init(width: side, height: side), section: section)
  }

  /// Appends items with keys of 16 bytes.
  static func page(
    of count: Int, using random: inout some RandomNumberGenerator
  ) throws -> BatchOperation {
    .insert(
      try (0..<count).map { _ in
        let key = String(UInt64.random(in: 1 << 60 ... .max, using: &random), radix: 16)
        return try Item(
          key: key, width: 200, height: Double(Int.random(in: 100...499, using: &random)))
      }, at: .end(section: section))
  }
}

/// Random numbers without a system call each: splitmix64, with a random start.
struct BenchRandom: RandomNumberGenerator {
  private var state = UInt64.random(in: 0 ... .max)

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

/// Seconds of a monotonic clock.
func secondsNow() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// The processor time used by this process, in seconds.
func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

/// Prints figures on one line, flushed, with three places.
func show(_ figures: [Double]) {
  print(figures.map { "\(($0 * 1000).rounded() / 1000)" }.joined(separator: " "))
  fflush(nil)
}

/// Runs `body` in `count` threads, each with its number, and waits for all.
func inThreads<R: Sendable>(
  _ count: Int, _ body: @escaping @Sendable (Int) throws -> R
) throws -> [R] {
  let group = DispatchGroup()
  let results = Mutex<[Result<R, any Error>]>([])
  for number in 0..<count {
    DispatchQueue(label: "\(number)").async(group: group) {
      let result = Result { try body(number) }
      results.withLock { $0.append(result) }
    }
  }
  group.wait()
  return try results.withLock { try $0.map { try $0.get() } }
}
