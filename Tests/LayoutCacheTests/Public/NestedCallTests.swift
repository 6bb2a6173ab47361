import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import Synchronization
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: each call that can wait is made in each callback of another call. It must work or
// throw; a call that waits for itself is found by the limit of the thread it runs on.

/// Calls within the callbacks of other calls.
@Suite(.serialized) struct NestedCallTests {
  /// Items one below the other; the test is called back once.
  private struct CalledBack: SectionLayout {
    static let kind = "called-back"
    static let call = Mutex<(@Sendable () -> Void)?>(nil)

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      Self.call.withLock { $0.take() }?()
      return ItemPlacement(
        frame: Rect(x: .zero, y: .zero, width: 1, height: item.size.height),
        advance: item.size.height)
    }
  }

  private static let layout = LayoutID("layout", of: "feed")

  /// The calls, by name. Those marked need the layout itself.
  private static let calls: [(name: String, body: @Sendable (LayoutCache) throws -> Void)] = [
    ("read", { try $0.read(layout) { _ in } }),
    ("read of the last", { try $0.read(layout, freshness: .last) { _ in } }),
    ("read of two", { try $0.read(from: layout, to: "other") { _, _ in } }),
    ("read of a width", { try $0.read(LayoutID("any@300", of: "feed")) { _ in } }),
    ("prepare", { try $0.prepare(layout) }),
    ("prepare of all widths", { try $0.prepare(LayoutID("any", of: "feed")) }),
    ("update", { try $0.update("feed", with: [.insertSection(key: "t")], preparing: .none) }),
    (
      "update of the layout",
      { try $0.update("feed", with: [.insertSection(key: "u")], preparing: .named(["layout"])) }
    ),
    (
      "invalidation",
      { try $0.update("feed", with: [.invalidate(layout: "layout", everything: true)]) }
    ),
    ("undo", { try $0.undo("feed") }),
    ("rebalance", { try $0.rebalance("feed") }),
    ("setLayout", { try $0.setLayout(layout, to: configuration("\"width\":2")) }),
    ("removeLayout", { try $0.removeLayout(layout) }),
    ("import", { cache in try add(to: cache, as: "another") }),
    ("replacement", { cache in try add(to: cache, as: "feed", mode: .replace) }),
    ("removeDataset", { try $0.removeDataset("feed") }),
    ("checkpoint", { try $0.checkpoint() }),
    ("verify", { _ = try $0.verify() }),
    ("close", { try $0.close() }),
  ]

  private static func configuration(_ container: String) throws -> LayoutConfiguration {
    try ConfigurationText.decode(#"{"container":{\#(container)},"section":{"kind":"called-back"}}"#)
  }

  private static func add(
    to cache: LayoutCache, as name: String, mode: ImportMode = .create
  ) throws {
    _ = try cache.importItems(into: name, mode: mode) { importer in
      for number in 0..<30 { try importer.add(Item(key: "k\(number)", width: 1, height: 1)) }
    }
  }

  private func makeCache() throws -> (TemporaryDirectory, LayoutCache) {
    let directory = try TemporaryDirectory()
    let cache = try LayoutCache(
      path: directory.path(of: "feed.sqlite"), sectionLayouts: [CalledBack.self])
    try Self.add(to: cache, as: "feed")
    for (name, container) in [
      ("layout", #""width":1"#), ("other", #""width":1"#),
      ("any", #""widths":{"step":1,"keep":2}"#),
    ] {
      try cache.setLayout(LayoutID(name, of: "feed"), to: Self.configuration(container))
    }
    return (directory, cache)
  }

  private enum Callback: CaseIterable {
    case progress, body, bodyOfWidth, kind, kindInCommit, importing

    /// Runs `call` in the callback.
    func run(_ cache: LayoutCache, _ call: @escaping @Sendable () -> Void) throws {
      switch self {
      case .progress: try cache.prepare(NestedCallTests.layout) { if $0.fraction == 1 { call() } }
      case .body: try cache.read(NestedCallTests.layout) { _ in call() }
      case .bodyOfWidth: try cache.read(LayoutID("any@100", of: "feed")) { _ in call() }
      case .kind:
        CalledBack.call.withLock { $0 = call }
        try cache.prepare(NestedCallTests.layout)
      case .kindInCommit:
        try cache.prepare(NestedCallTests.layout)
        CalledBack.call.withLock { $0 = call }
        let item = try Item(key: "new", width: 1, height: 1)
        try cache.update("feed", with: [.insert([item], at: .before("k3"))])
      case .importing:
        _ = try cache.importItems(into: "feed", mode: .append) { importer in
          call()
          try importer.add(Item(key: "new", width: 1, height: 1))
        }
      }
    }
  }

  @Test(arguments: Callback.allCases)
  private func everyCallInACallbackEnds(callback: Callback) throws {
    for (name, body) in Self.calls {
      let (directory, cache) = try makeCache()
      let wasCalled = Atomic(false)
      let waitsForItself = Atomic(false)
      do {
        try Threads.start { _ in
          do {
            try callback.run(cache) {
              guard !wasCalled.exchange(true, ordering: .relaxed) else { return }
              do {
                try body(cache)
              } catch {
                guard case .inUse? = (error as? LayoutCacheError)?.code else { return }
                waitsForItself.store(true, ordering: .relaxed)
              }
            }
          } catch is LayoutCacheError {
            // The call may have removed the dataset or the layout.
          }
        }.join()
      } catch {
        Issue.record("\(name) in \(callback): \(error)")
        continue
      }
      let (called, own) = (
        wasCalled.load(ordering: .relaxed), waitsForItself.load(ordering: .relaxed)
      )
      #expect(called, "\(name) in \(callback)")
      if callback == .progress, ["read", "prepare", "update of the layout"].contains(name) {
        #expect(own, "\(name) in \(callback)")
      }
      if name == "close" { #expect(own, "\(callback)") }
      try cache.close()
      withExtendedLifetime(directory) {}
    }
  }

  /// Two threads, each in the progress of the layout that the other one asks for.
  @Test func threadsThatWouldWaitForEachOtherAreTold() throws {
    let (directory, cache) = try makeCache()
    let names = ["layout", "other"]
    let meeting = Meeting(of: 2)
    let told = Atomic(0)
    try withExtendedLifetime(directory) {
      try Threads.start(2) { number in
        try cache.prepare(LayoutID(names[number], of: "feed")) {
          guard $0.fraction == 1 else { return }
          do {
            try meeting.join()
            try cache.read(LayoutID(names[1 - number], of: "feed")) { _ in }
          } catch { told.add(1, ordering: .relaxed) }
        }
      }.join()
    }
    #expect(told.load(ordering: .relaxed) == 1)
  }

  @Test func widthsReadWithinOneAnother() throws {
    let (directory, cache) = try makeCache()
    func read(_ widths: ArraySlice<Int>) throws {
      guard let width = widths.first else { return }
      try cache.read(LayoutID("any@\(width)", of: "feed")) { _ in try read(widths.dropFirst()) }
    }
    // Those beyond the ones that the layout keeps are temporary.
    try read([100, 200, 300, 400, 500])
    withExtendedLifetime(directory) {}
  }

  /// The layouts under way are those of the callbacks that the call is made in.
  @Test func aWidthPreparedInTheProgressOfOthersIsToldAtOnce() throws {
    let (directory, cache) = try makeCache()
    var error: (any Error)?
    try cache.prepare(LayoutID("any@100", of: "feed")) {
      guard $0.fraction == 1, error == nil else { return }
      _ = try? cache.prepare(LayoutID("any@200", of: "feed")) {
        guard $0.fraction == 1, error == nil else { return }
        do { try cache.prepare(LayoutID("any@300", of: "feed")) } catch let other { error = other }
      }
    }
    guard case .layoutsUnderWay? = (error as? LayoutCacheError)?.code else {
      Issue.record("\(String(describing: error))")
      return
    }
    withExtendedLifetime(directory) {}
  }
}
