import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import Logging
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: in a child process each call that changes something runs on a copy of one database
// while SQLite's n-th write or sync fails, once or from then on, for every n until nothing
// fails. Then the disk is repaired and the file is opened again.
//
// Invariants: a call that threw has changed nothing, a call that returned has changed
// everything: no failure after the publishing commit reaches the caller. An error says "nothing
// was changed" only if that is true. If all calls fail from the sync of a commit on, SQLite
// itself may find the commit later; the error does not claim the contrary.

@Suite struct FailedChangeTests {
  /// `make test-all` runs the other faults.
  @Test(
    arguments: ChangeRun.Fault.allCases.filter {
      PropertyRun.isThorough != [.diskFullForGood, .sync].contains($0)
    })
  func failedCallsChangeNothingAndCompletedCallsSucceed(fault: ChangeRun.Fault) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path(of: "feed.sqlite")
    await #expect(processExitsWith: .success) {
      [path = path as String, fault = fault as ChangeRun.Fault] in
      try ChangeRun(path: path, fault: fault).run()
    }
  }
}

/// The child process.
struct ChangeRun {
  enum Fault: String, Codable, CaseIterable, Sendable {
    case diskFull, diskFullForGood, write, writeForGood, sync, syncForGood

    var call: FailingDisk.Call {
      switch self {
      case .diskFull, .diskFullForGood, .write, .writeForGood: .write
      case .sync, .syncForGood: .sync
      }
    }

    var error: Int32 { self == .diskFull || self == .diskFullForGood ? ENOSPC : EIO }

    var count: Int {
      switch self {
      case .diskFull, .write, .sync: 1
      case .diskFullForGood, .writeForGood, .syncForGood: 1_000_000
      }
    }
  }

  /// A call, and whether it changes what a reader of the database sees.
  private struct Change {
    var name: String
    var isSeen = true
    var body: (LayoutCache) throws -> Void
  }

  let path: String
  let fault: Fault

  private func open(_ path: String) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    options.treeShapes = .tiny
    options.durability = .power
    return try LayoutCache(
      path: path, options: options, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private static let layout = LayoutID("layout", of: "feed")

  private func changes() throws -> [Change] {
    let layout = Self.layout
    let flow = try ConfigurationText.decode(KindExample.flow.configuration())
    let items = try (0..<40).map { try Item(key: "new-\($0)", width: 4, height: 3) }
    return [
      Change(name: "createDataset") { try $0.createDataset("empty") },
      Change(name: "removeDataset") { try $0.removeDataset("feed") },
      Change(name: "renameDataset") { try $0.renameDataset("feed", to: "other") },
      Change(name: "setLayout, new") { try $0.setLayout(LayoutID("new", of: "feed"), to: flow) },
      Change(name: "setLayout") { try $0.setLayout(layout, to: flow) },
      Change(name: "renameLayout") { try $0.renameLayout(layout, to: "other") },
      Change(name: "removeLayout") { try $0.removeLayout(layout) },
      Change(name: "update") { _ = try $0.update("feed", with: [.delete(keys: ["s-7"])]) },
      Change(name: "update, everything") { cache in
        _ = try cache.update(
          "feed",
          with: [
            .delete(keys: ["s-8"]),
            .invalidate(layout: "layout", everything: true),
          ])
      },
      Change(name: "updates in one transaction") { cache in
        let failed = cache.commitTogether(
          (10..<13).map { number in
            QueuedChange(
              dataset: "feed", request: ChangeRequest(.batch([.delete(keys: ["s-\(number)"])])))
          }
        ).compactMap { outcome in
          if case .failure(let error) = outcome { error } else { nil }
        }
        precondition(failed.isEmpty || failed.count == 3, "one transaction stores all or none")
        if let error = failed.first { throw error }
      },
      Change(name: "undo") { _ = try $0.undo("feed") },
      Change(name: "import, create") { cache in
        _ = try cache.importItems(into: "copy", mode: .create) { importer in
          for item in items { try importer.add(item, section: "s") }
        }
      },
      Change(name: "import, replace") { cache in
        _ = try cache.importItems(into: "feed", mode: .replace) { importer in
          for item in items { try importer.add(item, section: "s") }
        }
      },
      Change(name: "import, append") { cache in
        _ = try cache.importItems(into: "feed", mode: .append) { importer in
          for item in items { try importer.add(item, section: "s") }
        }
      },
      Change(name: "import, one item") { cache in
        _ = try cache.importItems(into: "feed", mode: .append) { importer in
          try importer.add(items[0], section: "s")
        }
      },
      Change(name: "prepare", isSeen: false) { try $0.prepare(LayoutID("late", of: "feed")) },
      Change(name: "checkpoint", isSeen: false) { try $0.checkpoint() },
      Change(name: "compact", isSeen: false) { try $0.compact() },
    ]
  }

  func run() throws {
    try make()
    let before = try seen(path)
    let work = path + ".work"
    // From here on every opened file can fail.
    FailingDisk.install()
    for change in try changes() {
      let after = try copied(to: work) {
        let cache = try open(work)
        try change.body(cache)
        try cache.close()
        return try seen(work)
      }
      precondition((before != after) == change.isSeen, "\(change.name) is seen: \(change.isSeen)")
      var number = 1
      while try fail(change, number: number, before: before, after: after, work) { number += 1 }
      precondition(number > 1 || change.name == "checkpoint", "\(change.name) never failed")
    }
  }

  /// - Returns: Whether anything has failed.
  private func fail(
    _ change: Change, number: Int, before: [String], after: [String], _ work: String
  ) throws -> Bool {
    let origin = "\(change.name), \(fault) \(number)"
    return try copied(to: work) {
      let cache = try open(work)
      FailingDisk.fail(fault.call, number: number, count: fault.count, with: fault.error)
      var error: (any Error)?
      do { try change.body(cache) } catch let found { error = found }
      let hasFailed = FailingDisk.heal()
      try cache.close()
      let now = try seen(work)
      guard let error else {
        precondition(now == after, "\(origin): done, and not found: \(now)")
        return hasFailed
      }
      guard hasFailed, let own = error as? LayoutCacheError, own.category == .inputOutput else {
        fatalError("\(origin): \(error)")
      }
      precondition(now == before, "\(origin): failed with \(own), and found: \(now)")
      let says = own.description.contains("nothing was changed")
      precondition(says == own.changedNothing && says != own.mayBeStored || !change.isSeen, origin)
      return true
    }
  }

  private func copied<R>(to work: String, _ body: () throws -> R) throws -> R {
    try FileManager.default.copyItem(atPath: path, toPath: work)
    defer {
      for ending in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: work + ending)
      }
    }
    return try body()
  }

  /// Creates a feed with a prepared layout, another layout that is not laid out, and a commit
  /// to undo.
  private func make() throws {
    let cache = try open(path)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for item in OracleSection.mixed("s", count: 120).items {
        try importer.add(Item(item), section: "s")
      }
    }
    for (name, kind) in [("layout", KindExample.waterfall), ("late", .flow)] {
      let id = LayoutID(name, of: "feed")
      try cache.setLayout(id, to: ConfigurationText.decode(kind.configuration()))
      if name == "layout" { try cache.prepare(id) }
    }
    _ = try cache.update("feed", with: [.delete(keys: ["s-3"])])
    try cache.close()
  }

  /// The datasets and layouts in the file.
  private func seen(_ path: String) throws -> [String] {
    let cache = try open(path)
    defer { try? cache.close() }
    let problems = try cache.verify().problems
    precondition(problems.isEmpty, "\(problems)")
    return try cache.datasets().flatMap { dataset in
      ["\(dataset.name) \(dataset.revision) \(dataset.itemCount)"]
        + (try cache.layouts(of: dataset.name).map { "\($0.name) \($0.configuration)" })
    }
  }
}
