import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: random rows of few keys and sections are added to a small dataset, which is
// rebuilt, or to a large one, to which they are applied as a batch; with hardly any memory for
// items and keys, or enough; with an active layout or without. The expected dataset is computed
// in arrays, row by row.
//
// Invariants: a row with an existing key is left out or changes the members that it states, and
// the item is in no other position; the counts add up to the rows; rows without effect create
// no revision; the layout is valid.

@Suite struct DuplicateRowTests {
  private typealias Section = (key: String, items: [Item])

  private func expected(
    _ old: [Section], _ rows: [(section: String, item: UpsertedItem)], _ rule: DuplicateRows
  ) throws -> (sections: [Section], duplicateCount: Int) {
    var sections = old
    var duplicateCount = 0
    for (key, row) in rows {
      let place = sections.indices.lazy.compactMap { section in
        sections[section].items.firstIndex { $0.key == row.key }.map { (section, $0) }
      }.first
      let old = place.map { sections[$0.0].items[$0.1] }
      var data = old?.data
      switch row.data {
      case .set(let new): data = new
      case .remove: data = nil
      default: break
      }
      let item = try Item(
        key: row.key, width: row.size.width.points, height: row.size.height.points,
        columnSpan: row.columnSpan ?? old?.columnSpan ?? 1, data: data)
      if let place {
        duplicateCount += 1
        if rule == .update { sections[place.0].items[place.1] = item }
        continue
      }
      if !sections.contains(where: { $0.key == key }) { sections.append((key, [])) }
      for section in sections.indices where sections[section].key == key {
        sections[section].items.append(item)
      }
    }
    // New sections are in order of first appearance in rows that are not duplicates.
    var seen: Set<String> = []
    let order = rows.filter { seen.insert($0.item.key).inserted }.map(\.section)
    let new = sections[old.count...].sorted {
      order.firstIndex(of: $0.key) ?? 0 < order.firstIndex(of: $1.key) ?? 0
    }
    return (sections[..<old.count] + new, duplicateCount)
  }

  private func row(
    using generator: inout SeededGenerator
  ) throws -> (section: String, item: UpsertedItem) {
    let data = try ItemData(json: "{\"n\":\(Int.random(in: 0...9, using: &generator))}")
    let item = try UpsertedItem(
      key: "k\(Int.random(in: 0..<300, using: &generator))",
      width: Double(Int.random(in: 1...9, using: &generator)),
      height: Double(Int.random(in: 1...9, using: &generator)),
      columnSpan: [nil, 1, 2].randomElement(using: &generator)!,
      data: [.none, .set(data), .remove].randomElement(using: &generator)!)
    return ("s\(Int.random(in: 0..<5, using: &generator))", item)
  }

  private func found(_ cache: LayoutCache) throws -> [Section] {
    var found: [Section] = []
    try cache.forEachSection(of: "feed") { found.append(($0.key, [])) }
    try cache.forEachItem(of: "feed") { section, item in
      for index in found.indices where found[index].key == section {
        found[index].items.append(item)
      }
    }
    return found
  }

  @Test(.property, arguments: PropertyRun.seeds, [DuplicateRows.skip, .update])
  func rowsWithKnownKeysFollowTheDuplicateRule(seed: UInt64, rule: DuplicateRows) throws {
    var generator = SeededGenerator(seed: seed)
    let directory = try TemporaryDirectory()
    var options = LayoutCacheOptions()
    if generator.oneIn(2) { options.importBytes = 4096 }
    let cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), options: options)
    var sections: [Section] = []
    var revision = 0
    func add(_ rows: [(section: String, item: UpsertedItem)], _ mode: ImportMode) throws {
      let (expected, count) = try expected(mode == .append ? sections : [], rows, rule)
      let summary = try cache.importItems(into: "feed", mode: mode, onDuplicate: rule) {
        for (line, row) in rows.enumerated() {
          try $0.add(row.item, section: row.section, line: line + 1)
        }
      }
      let found = try found(cache)
      #expect(found.map(\.key) == expected.map(\.key))
      #expect(found.map(\.items) == expected.map(\.items))
      let isChanged =
        found.map(\.key) != sections.map(\.key) || found.map(\.items) != sections.map(\.items)
      if isChanged || mode != .append { revision += 1 }
      #expect(summary.revision == revision)
      #expect(summary.duplicateCount == count)
      #expect(summary.importedCount == rows.count - count)
      #expect(summary.duplicates.count == min(count, 20))
      #expect(summary.duplicates.map { $0.lines.first ?? 0 }.isSorted)
      #expect(try cache.verify().problems.isEmpty)
      sections = expected
    }
    try add(try (0..<200).map { _ in try row(using: &generator) }, .create)
    let layout = LayoutID("layout", of: "feed")
    try cache.setLayout(layout, to: ConfigurationText.decode(KindExample.waterfall.configuration()))
    for _ in 0..<PropertyRun.steps(6) {
      if generator.oneIn(2) { try cache.prepare(layout) }
      let count = Int.random(in: 0...(generator.oneIn(2) ? 12 : 120), using: &generator)
      let rows = try (0..<count).map { _ in try row(using: &generator) }
      try add(rows, .append)
      if generator.oneIn(2) { try add(rows, .append) }
    }
    try add(try (0..<60).map { _ in try row(using: &generator) }, .replace)
  }

  @Test func sectionsNamedByRepeatedRowsAreCreated() throws {
    for count in [1, 100] {
      let feed = try TestFeed([.mixed("a", count: count)])
      let cache = feed.cache
      let summary = try cache.importItems(into: "feed", mode: .append, onDuplicate: .skip) {
        try $0.addSection("b")
        try $0.add(Item(key: "a-0", width: 1, height: 1), section: "c")
      }
      #expect(summary.sectionCount == 2 && summary.importedCount == 0)
      #expect(try found(cache).map(\.key) == ["a", "b"])
    }
  }
}

extension [Int] {
  fileprivate var isSorted: Bool { zip(self, dropFirst()).allSatisfy { $0 <= $1 } }
}
