import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

@Suite struct FullDiskTests {
  /// No commit succeeds on a disk that the write-ahead log has filled, so none has the log moved.
  @Test func aDiskThatTheLogHasFilledTakesFurtherCommits() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    await #expect(processExitsWith: .success) { [path = path as String] in
      FailingDisk.install()
      var options = LayoutCacheOptions()
      options.treeShapes = .tiny
      let cache = try LayoutCache(path: path, options: options)
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for item in OracleSection.mixed("s", count: 120).items { try importer.add(Item(item)) }
      }
      let layout = LayoutID("layout", of: "feed")
      try cache.setLayout(
        layout, to: ConfigurationText.decode(KindExample.waterfall.configuration()))
      try cache.prepare(layout)
      FailingDisk.fill(beyond: 1 << 20)
      for number in 1...1200 {
        // One batch after the other, and groups; some of them write nodes.
        let size = Size(width: 9, height: .points(Double(number)))
        let key = "s-\(number % 120)"
        if number.isMultiple(of: 3) {
          let changes = (0..<2).map { part in
            QueuedChange(
              dataset: "feed",
              request: ChangeRequest(
                .batch([.resize(key: key, size: Size(width: .points(Double(3 + part)), height: 9))])
              ))
          }
          for outcome in cache.commitTogether(changes) { _ = try outcome.get() }
        } else {
          try cache.update("feed", with: [.resize(key: key, size: size)])
        }
        try cache.read(layout) { _ = try $0.attributes(forKey: key) }
      }
      // With no room at all, layouts in memory answer, also after a failed checkpoint of all trees.
      FailingDisk.fill(beyond: 0)
      for count in [1, 50] {
        let changes = (0..<(count * 120)).map { number in
          BatchOperation.resize(
            key: "s-\(number % 120)",
            size: Size(width: 3, height: .points(Double(2 + number / 120))))
        }
        do {
          try cache.update("feed", with: changes)
          fatalError("the disk is not full")
        } catch let error as LayoutCacheError {
          precondition("\(error)".contains("the disk is full"), "\(error)")
        }
        try cache.read(layout) { _ = try $0.attributes(forKey: "s-7") }
      }
      precondition(FailingDisk.heal(), "the disk was never full")
      let problems = try cache.verify().problems
      precondition(problems.isEmpty, "it is damaged: \(problems)")
      try cache.close()
    }
  }
}
