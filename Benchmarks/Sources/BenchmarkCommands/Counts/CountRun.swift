import BenchmarkBaselines
import CollectionLayout
import Foundation
import LayoutCache
import LayoutGeometry

/// Repeats one operation on a small database, so that its work can be counted.
///
/// Every run has the same random numbers and the same hash key in the database, and, with
/// SWIFT_DETERMINISTIC_HASHING, the same order in dictionaries.
struct CountRun {
  /// The number of prepared calls, which does not depend on the number of calls made: so two runs
  /// differ only in calls.
  static let callsMax = 200
  static let itemCount = 20_000
  private static let layout = LayoutID(BenchFeed.layout, of: BenchFeed.dataset)

  /// Returns the number of nodes visited or changed; `nil` if the library does not count them.
  private typealias Call = () throws -> Int?

  private let operation: CountedOperation
  private let feed: BenchFeed
  private let cache: LayoutCache
  private var random: BenchRandom

  /// Imports the items and lays them out, with the default configuration.
  init(_ operation: CountedOperation, in folder: BenchFolder) throws {
    self.operation = operation
    random = BenchRandom(seed: 42, stream: operation.rawValue)
    feed = BenchFeed(itemCount: Self.itemCount, using: &random)
    let path = folder.path(of: "counted.sqlite")
    try LayoutCache(path: path).close()
    try HashKey.fix(path)
    cache = try LayoutCache(path: path)
    _ = try cache.importItems(into: BenchFeed.dataset, mode: .create) { importer in
      for number in 0..<Self.itemCount { try importer.add(feed.item(number)) }
    }
    try cache.setLayout(Self.layout, to: BenchFeed.configuration(maximumSkew: nil))
    try cache.prepare(Self.layout)
    guard operation == .since100 else { return }
    for number in 0..<100 { try cache.update(BenchFeed.dataset, with: [change(number)]) }
  }

  /// Makes the first `count` prepared calls, and closes the database, which writes their changes.
  ///
  /// - Parameter count: The number of calls, up to ``callsMax``.
  /// - Returns: The sum of the calls' nodes, and the bytes written to files; each is `nil` if it
  ///   is not counted.
  mutating func run(_ count: Int) throws -> (nodes: Int?, bytesWritten: Int?) {
    let calls = try (0..<Self.callsMax).map { try call($0) }
    let bytesBefore = Self.bytesWritten
    var nodes: Int? = 0
    for call in calls.prefix(count) {
      let found = try call()
      nodes = found.flatMap { found in nodes.map { $0 + found } }
    }
    try cache.close()
    let bytes = bytesBefore.flatMap { before in Self.bytesWritten.map { $0 - before } }
    return (nodes, bytes)
  }

  /// The bytes that this process has written; `nil` if the system does not count them.
  private static var bytesWritten: Int? {
    // Other systems have no such file.
    let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)
    let line = text?.split(separator: "\n").first { $0.hasPrefix("wchar:") }
    return line?.split(separator: " ").last.flatMap { Int($0) }
  }

  private mutating func call(_ number: Int) throws -> Call {
    let cache = cache
    switch operation {
    case .rect, .rectScrolling, .rectSame:
      let rect = Rect(viewport: viewport(number))
      return {
        try cache.read(Self.layout) { try $0.elements(in: rect).work.nodesVisited }
      }
    case .item:
      let key = randomKey()
      return {
        _ = try cache.read(Self.layout) { try $0.attributes(forKey: key) }
        return nil
      }
    case .since100:
      return {
        _ = try cache.changes(of: BenchFeed.dataset, since: 1, layout: BenchFeed.layout)
        return nil
      }
    case .resize, .insert, .delete, .move, .append, .prepend40:
      let batch = [try change(number)]
      return {
        try cache.update(BenchFeed.dataset, with: batch).layouts.reduce(0) {
          $0 + $1.context.work.changedNodes
        }
      }
    }
  }

  private mutating func viewport(_ number: Int) -> Range<Int64> {
    if operation == .rect { return feed.viewport(using: &random) }
    let step = operation == .rectScrolling ? Length.points(100).units * Int64(number) : 0
    let top = feed.arrays.length / 2 + step
    return top..<(top + BenchFeed.side.units)
  }

  private mutating func change(_ number: Int) throws -> BatchOperation {
    let section = Importer.defaultSection
    switch operation {
    case .insert: return .insert(try newItems(1, number), at: .before(randomKey()))
    case .append: return .insert(try newItems(1, number), at: .end(section: section))
    case .prepend40: return .insert(try newItems(40, number), at: .index(0, section: section))
    case .delete:
      // Distributed over the feed, each item once.
      return .delete(keys: [feed.key(number * (Self.itemCount / Self.callsMax))])
    case .move:
      // Moves items of the first half into the second.
      let half = Self.itemCount / 2
      let moved = feed.key(Int.random(in: 0..<half, using: &random))
      let next = feed.key(Int.random(in: half..<Self.itemCount, using: &random))
      return .move(key: moved, to: .before(next))
    default:
      let height = Double(Int.random(in: 100...499, using: &random))
      let size = Size(width: .points(Double(BenchFeed.width)), height: .points(height))
      return .resize(key: randomKey(), size: size)
    }
  }

  private mutating func randomKey() -> String {
    feed.key(Int.random(in: 0..<Self.itemCount, using: &random))
  }

  private mutating func newItems(_ count: Int, _ number: Int) throws -> [Item] {
    let first = Self.itemCount + count * number
    return try (first..<(first + count)).map { try feed.newItem($0, using: &random) }
  }
}
