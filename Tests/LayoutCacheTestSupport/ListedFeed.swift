import CollectionLayout
package import LayoutGeometry
package import TestSupport

@testable package import LayoutCache

/// A model of a dataset as plain lists.
package final class ListedFeed {
  package var sections: [ListedSection] = []
  /// The number of items created until now.
  private var made = 0

  /// A feed of five sections of 25 items, of which the fourth has none.
  package init(using random: inout SeededGenerator) {
    sections = (0..<5).map { number in
      ListedSection(
        key: "\(number)", items: number == 3 ? [] : (0..<25).map { _ in newItem(&random) })
    }
  }

  /// Imports the feed as the dataset "feed".
  package func create(in cache: LayoutCache) throws {
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(listed: item), section: section.key) }
      }
    }
  }

  /// Applies random operations, and returns them.
  package func batch(_ random: inout SeededGenerator) throws -> [BatchOperation] {
    try (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in try operation(&random) }
  }

  package func newItem(_ random: inout SeededGenerator) -> ListedItem {
    made += 1
    return ListedItem(
      key: "k\(made)",
      size: Size(
        width: .points(Double(Int.random(in: 1...60, using: &random))),
        height: .points(Double(Int.random(in: 1...60, using: &random)))),
      span: random.oneIn(5) ? 2 : 1,
      number: random.oneIn(2) ? Int.random(in: 0...9, using: &random) : nil)
  }

  /// The section of a random item, and its index there; `nil` without items.
  private func place(_ random: inout SeededGenerator) -> (section: Int, item: Int)? {
    let places = sections.indices.flatMap { section in
      sections[section].items.indices.map { (section: section, item: $0) }
    }
    return places.randomElement(using: &random)
  }

  /// Applies a random operation, and returns it; `nil` if it is impossible.
  package func operation(_ random: inout SeededGenerator) throws -> BatchOperation? {
    switch Int.random(in: 0..<13, using: &random) {
    case 0...2:
      let section = Int.random(in: sections.indices, using: &random)
      let items = (0..<Int.random(in: 1...4, using: &random)).map { _ in newItem(&random) }
      let index = Int.random(in: 0...sections[section].items.count, using: &random)
      sections[section].items.insert(contentsOf: items, at: index)
      return .insert(
        try items.map(Item.init(listed:)), at: .index(index, section: sections[section].key))
    case 3, 4:
      guard let place = place(&random) else { return nil }
      return .delete(keys: [sections[place.section].items.remove(at: place.item).key])
    case 5, 6:
      guard let place = place(&random) else { return nil }
      let item = sections[place.section].items.remove(at: place.item)
      let target =
        random.oneIn(2) ? place.section : Int.random(in: sections.indices, using: &random)
      let index = Int.random(in: 0...sections[target].items.count, using: &random)
      sections[target].items.insert(item, at: index)
      return .move(key: item.key, to: .index(index, section: sections[target].key))
    case 7:
      guard let place = place(&random) else { return nil }
      let new = newItem(&random)
      let old = sections[place.section].items[place.item]
      sections[place.section].items[place.item].size = new.size
      sections[place.section].items[place.item].span = new.span
      if old.size != new.size { sections[place.section].items[place.item].preferred = nil }
      return .resize(key: old.key, size: new.size, columnSpan: new.span)
    case 8, 9:
      guard let place = place(&random) else { return nil }
      let number = random.oneIn(3) ? nil : Int.random(in: 0...9, using: &random)
      sections[place.section].items[place.item].number = number
      return .data(
        key: sections[place.section].items[place.item].key,
        try number.map { try ItemData(json: "{\"n\":\($0)}") })
    case 10:
      guard let place = place(&random) else { return nil }
      let length: Length? =
        random.oneIn(3) ? nil : .points(Double(Int.random(in: 1...50, using: &random)))
      sections[place.section].items[place.item].preferred = length
      return .prefer(
        layout: "a", key: sections[place.section].items[place.item].key, length: length)
    default: return sectionOperation(&random)
    }
  }

  private func sectionOperation(_ random: inout SeededGenerator) -> BatchOperation {
    let index = Int.random(in: sections.indices, using: &random)
    if random.oneIn(3) {
      sections[index].style = Self.style(&random)
      return .style(section: sections[index].key, style: sections[index].style)
    }
    if random.oneIn(2) {
      let section = sections.remove(at: index)
      let target = Int.random(in: 0...sections.count, using: &random)
      sections.insert(section, at: target)
      return .moveSection(key: section.key, index: target)
    }
    if sections.count == 6 { return .deleteSection(key: sections.remove(at: index).key) }
    let free = (0..<6).map(String.init).filter { key in !sections.contains { $0.key == key } }
    let style = Self.style(&random)
    sections.insert(ListedSection(key: free[0], style: style, items: []), at: index)
    return .insertSection(key: free[0], index: index, style: style)
  }

  private static func style(_ random: inout SeededGenerator) -> String? {
    [nil, "hero", "tiles", "unknown"].randomElement(using: &random)!
  }
}

/// An item of a ``ListedFeed``.
package struct ListedItem {
  package var key: String
  package var size: Size
  package var span: Int
  /// The only member of its data, `n`; `nil` without data.
  package var number: Int?
  /// In the layout "a" only.
  package var preferred: Length?
}

/// A section of a ``ListedFeed``, whose key is a digit from 0 to 5.
package struct ListedSection {
  package var key: String
  package var style: String?
  package var items: [ListedItem]
}

extension Item {
  package init(listed item: ListedItem) throws {
    try self.init(
      key: item.key, width: item.size.width.points, height: item.size.height.points,
      columnSpan: item.span, data: item.number.map { try ItemData(json: "{\"n\":\($0)}") })
  }
}
