package import LayoutCache
package import TestSupport

/// A section with its items, in the simplest correct representation.
package struct FeedSection: Hashable, Sendable {
  package var key: String
  package var items: [Item] = []

  package static func all(of dataset: String, in cache: LayoutCache) throws -> [FeedSection] {
    var sections: [FeedSection] = []
    try cache.forEachSection(of: dataset) { sections.append(FeedSection(key: $0.key)) }
    var places: [String: Int] = [:]
    for (place, section) in sections.enumerated() { places[section.key] = place }
    try cache.forEachItem(of: dataset) { section, item in
      sections[places[section]!].items.append(item)
    }
    return sections
  }
}

/// The contents of a dataset that do not depend on the node.
package struct Contents: Hashable {
  package var sections: [FeedSection]
  package var revision: Int
  package var marks: [DatasetDescription.Mark]

  package init(of dataset: String, in cache: LayoutCache) throws {
    sections = try FeedSection.all(of: dataset, in: cache)
    let description = try cache.dataset(dataset)
    revision = description.revision
    marks = description.marks
  }
}

/// An import, and its expected result.
package struct FeedImport: Sendable {
  package var mode: ImportMode
  package var duplicates: DuplicateRows
  package var rows: [(section: String, item: Item)]

  package init(
    mode: ImportMode, duplicates: DuplicateRows, rows: [(section: String, item: Item)]
  ) {
    (self.mode, self.duplicates, self.rows) = (mode, duplicates, rows)
  }

  /// Returns a random import of a few or a few hundred items.
  package static func random(
    using generator: inout SeededGenerator
  ) throws -> FeedImport {
    let count = Int.random(in: 0...(generator.oneIn(4) ? 200 : 12), using: &generator)
    // A small key range gives many duplicates, a large one few.
    let keyCount: UInt64 = generator.oneIn(2) ? 1000 : 100_000
    let rows = try (0..<count).map { _ in
      let data = generator.oneIn(3) ? try ItemData(json: #"{"n":\#(generator.next() % 5)}"#) : nil
      return (
        section: Feeds.section(&generator),
        item: try Item(
          key: "k\(generator.next() % keyCount)",
          width: Double(Int.random(in: 1...9, using: &generator)),
          height: Double(Int.random(in: 1...20, using: &generator)),
          columnSpan: generator.oneIn(5) ? 2 : 1, data: data)
      )
    }
    let modes: [ImportMode] = [.create, .append, .append, .append, .append, .append, .replace]
    return FeedImport(
      mode: modes.randomElement(using: &generator)!,
      duplicates: DuplicateRows.allCases.randomElement(using: &generator)!, rows: rows)
  }

  package func run(on cache: LayoutCache, into dataset: String) throws -> ImportSummary {
    try cache.importItems(into: dataset, mode: mode, onDuplicate: duplicates) { importer in
      for (line, row) in rows.enumerated() {
        try importer.add(row.item, section: row.section, line: line + 1)
      }
    }
  }

  /// A difference between the result of an import and the expected one.
  package struct Misfit: Error {
    package var expected: [FeedSection]?
    package var found: [FeedSection]
  }

  /// Compares the result of the import with the expected one.
  ///
  /// - Parameter before: The previous contents; `nil` if there was no dataset.
  package func check(_ before: [FeedSection]?, _ found: [FeedSection]) throws {
    let expected = outcome(on: before)
    if expected != found { throw Misfit(expected: expected, found: found) }
  }

  /// Returns the contents of the dataset after the import, or `nil` if it is rejected.
  package func outcome(on before: [FeedSection]?) -> [FeedSection]? {
    if mode == .create, before != nil { return nil }
    var sections = mode == .replace ? [] : before ?? []
    let known = Set(sections.flatMap { $0.items.map(\.key) })
    // The first row of a key determines its position, the last one its values.
    var last: [String: Item] = [:]
    var first: [(section: String, key: String)] = []
    for row in rows {
      if last[row.item.key] == nil { first.append((row.section, row.item.key)) }
      if last[row.item.key] == nil || duplicates == .update { last[row.item.key] = row.item }
    }
    if duplicates == .fail,
      first.count < rows.count || first.contains(where: { known.contains($0.key) })
    {
      return nil
    }
    if duplicates == .update {
      for section in sections.indices {
        for index in sections[section].items.indices {
          if let item = last[sections[section].items[index].key] {
            sections[section].items[index] = item
          }
        }
      }
    }
    // New sections follow the order of first appearance, also in rows of existing items; only
    // sections that get a new item are created.
    let new = first.filter { !known.contains($0.key) }
    let grown = Set(new.map(\.section))
    for (key, _) in first where grown.contains(key) && !sections.contains(where: { $0.key == key })
    {
      sections.append(FeedSection(key: key))
    }
    for (key, item) in new {
      guard let place = sections.firstIndex(where: { $0.key == key }) else { continue }
      sections[place].items.append(last[item]!)
    }
    return sections
  }
}
