import Foundation
import LayoutGeometry
import LayoutStore
import TestSupport

@testable import LayoutCache

/// Every call of the library on a file that may be damaged.
struct HostileCalls {
  let fixture: HostileFixture
  let path: String
  /// Whether only layouts are damaged. Only calls that check for damage may report that.
  let isDerived: Bool
  private(set) var failures: [String] = []

  init(_ fixture: HostileFixture, path: String, isDerived: Bool) {
    (self.fixture, self.path, self.isDerived) = (fixture, path, isDerived)
  }

  /// Makes the calls, some of them in a random order.
  mutating func run(using generator: inout SeededGenerator) {
    guard let first = open() else { return }
    let layouts = fixture.layouts.keys.sorted()
    var steps = layouts.map { layout in
      { (calls: inout HostileCalls, cache: LayoutCache, random: inout SeededGenerator) in
        calls.read(layout, cache, using: &random)
      }
    }
    steps.append { calls, cache, _ in calls.look(at: cache) }
    steps.append { calls, cache, random in calls.update(cache, using: &random) }
    steps.append { calls, cache, random in calls.update(cache, using: &random) }
    for step in steps.shuffled(using: &generator) { step(&self, first, &generator) }
    note("checkpoint") { try first.checkpoint() }
    for layout in layouts { note("prepare") { try first.prepare(LayoutID(layout, of: "feed")) } }
    note("close") { try first.close() }
    guard let second = open() else { return }
    for layout in layouts { read(layout, second, using: &generator) }
    importItems(second)
    note("verify", mayFindDamage: true) { _ = try second.verify() }
    note("close") { try second.close() }
  }

  private mutating func open() -> LayoutCache? {
    let (fixture, path) = (fixture, path)
    var cache: LayoutCache?
    note("open") { cache = try fixture.open(path) }
    return cache
  }

  /// Makes a call. It may fail with an error of the library that blames the file or the caller.
  private mutating func note(
    _ name: String, mayFindDamage: Bool = false, _ body: () throws -> Void
  ) {
    do {
      try body()
    } catch let error as LayoutCacheError {
      switch error.category {
      case .bug: failures.append("\(name): \(error)")
      case .corrupt:
        if isDerived && !mayFindDamage { failures.append("\(name), derived: \(error)") }
      default: break
      }
    } catch {
      failures.append("\(name): \(type(of: error)) \(error)")
    }
  }

  private mutating func look(at cache: LayoutCache) {
    note("datasets") { _ = try cache.datasets() }
    note("inspect") { _ = try cache.inspect() }
    note("inspect dataset", mayFindDamage: true) { _ = try cache.inspect(dataset: "feed") }
    note("layouts") { _ = try cache.layouts(of: "feed") }
    for layout in fixture.layouts.keys {
      note("history", mayFindDamage: true) {
        _ = try cache.layoutHistory(of: LayoutID(layout, of: "feed"))
      }
    }
    note("items") { try cache.forEachItem(of: "feed") { _, _ in } }
    note("sections") { try cache.forEachSection(of: "feed") { _ in } }
    note("verify", mayFindDamage: true) { _ = try cache.verify() }
    for layout in fixture.layouts.keys.sorted() {
      for revision in [0, 1, 2, 5, 30] {
        note("changes since \(revision)") {
          let rect = Rect(x: 0, y: 10, width: 200, height: 150)
          _ = try cache.changes(of: "feed", since: revision, layout: layout, in: rect)
        }
      }
    }
  }

  private mutating func read(
    _ layout: String, _ cache: LayoutCache, using generator: inout SeededGenerator
  ) {
    let random = generator.next()
    func read(_ body: (LayoutSnapshot, inout SeededGenerator) throws -> Void) throws {
      var generator = SeededGenerator(seed: random)
      try cache.read(LayoutID(layout, of: "feed")) { try body($0, &generator) }
    }
    note("\(layout), rect") {
      try read { snapshot, generator in
        let height = max(1, snapshot.contentSize.height.units)
        for _ in 0..<4 {
          let rect = Rect(
            x: 0, y: Length(units: Int64.random(in: -100..<height, using: &generator)),
            width: 200, height: 150)
          _ = try snapshot.elements(in: rect)
          _ = try snapshot.element(at: Point(x: 50, y: rect.minY))
        }
        _ = try snapshot.data(of: snapshot.elements(in: Self.everything(snapshot)).elements)
        var page = try snapshot.elements(in: Self.everything(snapshot), limit: 20)
        for _ in 0..<10 {
          guard let next = page.next else { break }
          page = try snapshot.elements(after: next)
        }
        for _ in 0..<4 {
          let position = Length(
            units: Int64.random(
              in: -100..<snapshot.contentSize.height.units + 100, using: &generator))
          _ = try snapshot.item(atOrAfter: position)
          let visible = Rect(x: 0, y: position, width: 200, height: 150)
          _ = try snapshot.prefetch(.after, visible: visible, length: 300)
        }
      }
    }
    note("\(layout), keys") {
      try read { snapshot, generator in
        for _ in 0..<6 {
          let item = Int.random(in: 0..<HostileFixture.itemCount, using: &generator)
          _ = try snapshot.attributes(forKey: "k\(item)")
          _ = try snapshot.attributes(at: LayoutAttributes.IndexPath(section: 1, item: item))
          _ = try snapshot.data(forKey: "k\(item)")
          _ = try snapshot.data(at: LayoutAttributes.IndexPath(section: 1, item: item))
        }
        _ = try snapshot.keys(ofItems: 0..<50, inSection: 1)
        for backward in [false, true] {
          let key = "k\(Int.random(in: 0..<HostileFixture.itemCount, using: &generator))"
          let page = try snapshot.elements(fromKey: key, count: 40, backward: backward)
          if let next = page.next { _ = try snapshot.elements(after: next) }
        }
      }
    }
    note("\(layout), pages") {
      let whole = ElementsQuery.rect(Rect(x: 0, y: 0, width: 999_999, height: 999_999))
      try cache.forEachPage(of: whole, in: LayoutID(layout, of: "feed"), withData: true) {
        _, _, _ in
      }
    }
    note("\(layout), sections") {
      try read { snapshot, _ in
        try snapshot.forEachSection { _ in true }
        for section in 0..<min(4, snapshot.sectionCount) {
          _ = try snapshot.columnEnds(inSection: section)
          _ = try snapshot.attributes(forSupplementary: .header, inSection: section)
        }
      }
    }
  }

  private static func everything(_ snapshot: LayoutSnapshot) -> Rect {
    Rect(origin: .zero, size: snapshot.contentSize)
  }

  private mutating func update(_ cache: LayoutCache, using generator: inout SeededGenerator) {
    let layout = fixture.layouts.keys.sorted().randomElement(using: &generator)!
    func key() -> String {
      "k\(Int.random(in: 0..<HostileFixture.itemCount, using: &generator))"
    }
    let section = HostileFixture.sectionKeys.randomElement(using: &generator)!
    let fresh = "n\(generator.next())"
    let size = Size(width: 30, height: 70)
    let operations: [BatchOperation] = [
      .insert([.init(freshKey: fresh)], at: .index(3, section: section)),
      .insert([.init(freshKey: fresh + "+")], at: .before(key())),
      .delete(keys: [key()]), .move(key: key(), to: .end(section: section)),
      .move(key: key(), to: .after(key())), .resize(key: key(), size: size, columnSpan: 2),
      .data(key: key(), nil), .data(key: key(), Item(freshKey: fresh).data),
      .resize(key: key(), size: size), .prefer(layout: layout, key: key(), length: 44),
      .insertSection(key: fresh, index: 1), .deleteSection(key: section),
      .moveSection(key: section, index: 0), .rebalance(layout: layout),
      .rebalance(layout: layout, section: section, from: nil),
      .invalidate(layout: layout, items: [key()], sections: [section]),
      .invalidate(layout: layout, everything: true),
      .invalidateElements(layout: layout, kinds: ["header"], sections: [section]),
    ]
    for operation in operations.shuffled(using: &generator).prefix(5) {
      let preparing = [UpdatedLayouts.inUse, .upToDate, .none].randomElement(using: &generator)!
      let visible = generator.oneIn(2) ? Rect(x: 0, y: 50, width: 200, height: 150) : nil
      note("update") {
        try cache.update("feed", with: [operation], visible: visible, preparing: preparing)
      }
    }
  }

  private mutating func importItems(_ cache: LayoutCache) {
    for mode in [ImportMode.append, .replace] {
      note("import") {
        _ = try cache.importItems(into: "feed", mode: mode) { importer in
          for index in 0..<3 {
            let data = index == 1 ? try ItemData(json: "{}") : nil
            try importer.add(
              Item(key: "\(mode) \(index)", width: 10, height: 20, data: data), section: "a")
          }
        }
      }
    }
  }
}

extension Item {
  fileprivate init(freshKey key: String) {
    // Neither is beyond any limit.
    guard let data = try? ItemData(json: #"{"fresh":true}"#),
      let item = try? Item(key: key, width: 25, height: 35, data: data)
    else {
      preconditionFailure("the item is rejected")
    }
    self = item
  }
}
