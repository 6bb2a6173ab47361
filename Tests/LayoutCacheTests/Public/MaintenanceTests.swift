import CollectionLayout
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

/// Each maintenance call in a loop, next to each long call, and a writer of a third process. The
/// writer waits two seconds at most for the write lock, less than a call that holds it while it
/// waits for a reader. That no thread waits for the lock in a read transaction is an assertion of
/// the store.
@Suite struct MaintenanceTests {
  enum Maintenance: CaseIterable { case compact, checkpoint, backup, verify }
  enum LongCall: CaseIterable { case firstLayout, creation, rebuild, export, match }

  private static let itemCount = 3000

  private static func add(
    to importer: inout Importer, _ numbers: Range<Int>, _ height: Int = 3
  ) throws {
    for number in numbers {
      try importer.add(
        Item(key: "k\(number)", width: 4, height: Double(height + number % 5)), section: "main")
    }
  }

  @Test(arguments: Maintenance.allCases, LongCall.allCases)
  func aWriterWaitsForNoCall(_ maintenance: Maintenance, _ call: LongCall) throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    var options = LayoutCacheOptions()
    let cache = try LayoutCache(path: path, options: options)
    _ = try cache.importItems(into: "feed", mode: .create) {
      try Self.add(to: &$0, 0..<Self.itemCount)
    }
    _ = try cache.importItems(into: "other", mode: .create) { try Self.add(to: &$0, 0..<100) }
    let layout = LayoutID("phone", of: "feed")
    try cache.setLayout(
      layout, to: ConfigurationText.decode(#"{"container":{"width":390},"section":{"columns":2}}"#))
    let maintaining = try LayoutCache(path: path, options: options)
    options.busyTimeout = 2
    let writing = try LayoutCache(path: path, options: options)

    let isOver = Atomic(false)
    let rounds = Atomic(0)
    let commits = Atomic(0)
    let threads = Threads.start(2) { number in
      while !isOver.load(ordering: .relaxed) {
        if number == 0 {
          let round = rounds.add(1, ordering: .relaxed).newValue
          switch maintenance {
          case .compact: try maintaining.compact()
          case .checkpoint: try maintaining.checkpoint()
          case .backup: try maintaining.backup(to: directory.path(of: "copy-\(round)"))
          case .verify: #expect(try maintaining.verify(dataset: "other").problems.isEmpty)
          }
        } else {
          let commit = commits.add(1, ordering: .relaxed).newValue
          let size = Size(width: 4, height: .points(Double(3 + commit % 50)))
          try writing.update("other", with: [.resize(key: "k\(commit % 100)", size: size)])
        }
      }
    }
    defer { isOver.store(true, ordering: .relaxed) }
    // Once both are under way.
    for _ in 0..<60_000
    where rounds.load(ordering: .relaxed) < 2 || commits.load(ordering: .relaxed) < 2 {
      usleep(1000)
    }
    switch call {
    case .firstLayout: try cache.prepare(layout)
    case .creation:
      _ = try cache.importItems(into: "new", mode: .create) {
        try Self.add(to: &$0, 0..<Self.itemCount)
      }
    case .rebuild:
      _ = try cache.importItems(into: "feed", mode: .append) {
        try Self.add(to: &$0, Self.itemCount..<(2 * Self.itemCount))
      }
    case .export:
      var count = 0
      try cache.forEachItem(of: "feed") { _, _ in count += 1 }
      #expect(count == Self.itemCount)
    case .match:
      _ = try cache.importItems(into: "feed", mode: .match) {
        try Self.add(to: &$0, 0..<Self.itemCount, 70)
      }
    }
    isOver.store(true, ordering: .relaxed)
    // A busy error of a thread is thrown here.
    try threads.join()
    #expect(try cache.verify().problems.isEmpty)
  }
}
