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
      let disk = FailingDisk()
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
      disk.fill(beyond: 1 << 20)
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
      disk.fill(beyond: 0)
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
      precondition(disk.heal(), "the disk was never full")
      let problems = try cache.verify().problems
      precondition(problems.isEmpty, "it is damaged: \(problems)")
      try cache.close()
    }
  }

  /// A reader holds the log until it has filled the disk, file and log together. Once it has ended,
  /// the log is moved and cut, although nothing is free.
  @Test(.enabled(if: geteuid() == 0, "only root mounts a file system"))
  func aDiskThatALogHasFilledBesideAReaderTakesCommitsAfterwards() async throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path(of: "disk")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try #require(mount("tmpfs", folder, "tmpfs", 0, "size=48m") == 0)
    defer { umount2(folder, Int32(MNT_DETACH)) }
    await #expect(processExitsWith: .success) { [path = folder + "/feed.sqlite" as String] in
      let cache = try LayoutCache(path: path)
      _ = try cache.importItems(into: "feed", mode: .create) { importer in
        for item in OracleSection.mixed("s", count: 200).items { try importer.add(Item(item)) }
      }
      // The file grows too, by the rows of the log.
      func change(_ number: Int) throws {
        let text = "\(number)" + String(repeating: "x", count: 4000)
        let data = try ItemData(json: #"{"text":"\#(text)"}"#)
        try cache.update("feed", with: [.data(key: "s-\(number % 200)", data)])
      }
      let reader = try RawDatabase(path: path)
      try reader.execute("BEGIN; SELECT count(*) FROM datasets")
      var count = 0
      do {
        while true {
          try change(count)
          count += 1
        }
      } catch let error as LayoutCacheError {
        precondition("\(error)".contains("the disk is full"), "\(error)")
      }
      precondition(count > 1000, "the disk was full after \(count) commits")
      try reader.execute("COMMIT")
      for number in 0..<100 { try change(count + number) }
      let (revision, problems) = (try cache.datasets().first?.revision, try cache.verify().problems)
      precondition(revision == count + 101, "revision \(revision ?? 0) after \(count) commits")
      precondition(problems.isEmpty, "it is damaged: \(problems)")
      try cache.close()
    }
  }
}
