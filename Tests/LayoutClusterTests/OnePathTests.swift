import ClusterSimulation
import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

// Strategy: the same random calls go to a cache on a single machine and to one with a coordinator,
// whose changes are resolved and applied apart. Both return the same commits and errors, and show
// the same layouts; now and then the files are checkpointed, and the single machine's is opened
// again.

@Suite struct OnePathTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func aCoordinatorAndTheFileAloneAgree(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryDirectory()
    var alone = try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
    let shared = try SimulatedClusterNode.cache(at: folder.path(of: "shared.sqlite"))
    let coordinator = SoloCoordinator(for: shared)
    shared.join(coordinator)
    for cache in [alone, shared] { try cache.createDataset("feed") }
    var counts: [String: Int] = [:]
    for _ in PropertyRun.each(seed, steps: 60) {
      let call = try randomCall(on: alone, using: &generator)
      let results = [alone, shared].map { Self.outcome(of: call, on: $0) }
      let context = "\(call)"
      #expect(results[0] == results[1], "\(context)")
      counts[results[0].isError ? "error" : call.name, default: 0] += 1
      for layout in Feeds.layouts {
        let digests = try [alone, shared].map { try Self.digest(of: layout, in: $0) }
        #expect(digests[0] == digests[1], "\(context)")
      }
      if results[0] != results[1] { return }
      if generator.oneIn(6) { try [alone, shared].randomElement(using: &generator)!.checkpoint() }
      if generator.oneIn(20) {
        try alone.close()
        alone = try SimulatedClusterNode.cache(at: folder.path(of: "alone.sqlite"))
        // Commits list the layouts that this cache has answered from.
        for layout in Feeds.layouts { _ = try Self.digest(of: layout, in: alone) }
      }
    }
    for cache in [alone, shared] {
      #expect(try cache.verify().problems == [])
    }
    #expect(counts["batch", default: 0] > 5 && counts.count > 4, "\(counts)")
    withExtendedLifetime(coordinator) {}
  }

  // MARK: Calls

  private enum Call {
    case batch([BatchOperation], Rect?, UpdatedLayouts)
    case undo
    case rebalance
    case set(String, LayoutConfiguration)
    case rename(String, String)
    case remove(String)
    case importItems([Item], ImportMode)

    var name: String {
      switch self {
      case .batch: "batch"
      case .undo: "undo"
      case .rebalance: "rebalance"
      case .set: "set"
      case .rename: "rename"
      case .remove: "remove"
      case .importItems(_, let mode): "import \(mode)"
      }
    }
  }

  private func randomCall(
    on cache: LayoutCache, using generator: inout SeededGenerator
  ) throws -> Call {
    let layout = Feeds.layouts.randomElement(using: &generator)!
    switch Int.random(in: 0..<20, using: &generator) {
    case 0..<4: return .set(layout, try Feeds.configuration(&generator))
    case 4: return .rename(layout, Feeds.layouts.randomElement(using: &generator)!)
    case 5 where generator.oneIn(2): return .remove(layout)
    case 6, 7: return .undo
    case 8: return .rebalance
    case 9, 10:
      let modes: [ImportMode] = [.append, .replace, .match]
      let count = Int.random(in: 1...30, using: &generator)
      let keys = Set((0..<count).map { _ in "k\(generator.next() % 300)" }).sorted()
      return .importItems(
        try keys.map { try Item(key: $0, width: 3, height: Double($0.utf8.count)) },
        modes.randomElement(using: &generator)!)
    default:
      let batch = try Feeds.batch(on: Feeds.keys(of: "feed", in: cache), using: &generator)
      let visible =
        generator.oneIn(2)
        ? Rect(
          pointsX: 0, y: Double(Int.random(in: 0...60, using: &generator)), width: 100,
          height: 50)
        : nil
      return .batch(batch, visible, generator.oneIn(3) ? .named([layout]) : .inUse)
    }
  }

  // MARK: Outcomes

  private enum Outcome: Equatable {
    case commit(Commit)
    case text(String)
    case error(String)

    var isError: Bool { if case .error = self { true } else { false } }
  }

  private static func outcome(of call: Call, on cache: LayoutCache) -> Outcome {
    do {
      switch call {
      case .batch(let operations, let visible, let layouts):
        return .commit(
          comparable(
            try cache.update("feed", with: operations, visible: visible, preparing: layouts)))
      case .undo: return .commit(comparable(try cache.undo("feed")))
      case .rebalance: return .commit(comparable(try cache.finishRebalancing("feed")))
      case .set(let name, let configuration):
        let (isNew, layout) = try cache.setLayout(
          LayoutID(name, of: "feed"), to: configuration)
        return .text("\(isNew) \(layout.configuration)")
      case .rename(let name, let other):
        try cache.renameLayout(LayoutID(name, of: "feed"), to: other)
      case .remove(let name): try cache.removeLayout(LayoutID(name, of: "feed"))
      case .importItems(let items, let mode):
        let summary = try cache.importItems(into: "feed", mode: mode) { importer in
          for item in items { try importer.add(item, section: "s0") }
        }
        return .text("\(summary)")
      }
      return .text("done")
    } catch {
      return .error("\(error)")
    }
  }

  /// A commit without what differs by chance: the names of histories, and the entry in a log. A
  /// layout that is laid out from scratch is so by the coordinator, which does not count its items.
  private static func comparable(_ commit: Commit) -> Commit {
    var commit = commit
    commit.incarnation = ""
    commit.sequence = nil
    for index in commit.layouts.indices {
      commit.layouts[index].incarnation = ""
      if commit.layouts[index].context.invalidateEverything {
        commit.layouts[index].context.work = LayoutWork()
      }
    }
    return commit
  }

  private static func digest(of layout: String, in cache: LayoutCache) throws -> String {
    let id = LayoutID(layout, of: "feed")
    do {
      return try cache.read(id) { snapshot in
        let page = try snapshot.elements(in: Rect(origin: .zero, size: snapshot.contentSize))
        return "\(snapshot.revision) "
          + page.elements.map { "\($0.indexPath) \($0.frame)" }.joined(separator: ", ")
      }
    } catch let error as LayoutCacheError {
      return "\(error)"
    }
  }
}
