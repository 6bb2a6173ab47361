public import CollectionLayout
public import LayoutGeometry
import LayoutStore
import SumTree

/// A laid out section as a scrubber shows it.
public struct SectionExtent: Hashable, Sendable {
  public var key: String
  /// The number of the section's first item, counted from the dataset's.
  public var firstItem: Int
  public var itemCount: Int
  /// Where the section begins along the scrolling axis, from the content's leading
  /// edge.
  public var start: Length
  public var length: Length
}

extension LayoutSnapshot {
  /// The place of the item with a key.
  ///
  /// - Returns: `nil` where the dataset has no such item.
  /// - Complexity: O(log items) nodes.
  public func indexPath(ofKey key: String) throws -> LayoutAttributes.IndexPath? {
    try query { try indexPath(ofKey: key, reader: $0) }.result
  }

  /// The attributes of the item with a key.
  ///
  /// - Returns: `nil` where the dataset has no such item.
  /// - Complexity: O(log items) nodes.
  public func attributes(forKey key: String) throws -> LayoutAttributes? {
    try query { reader in
      guard let path = try indexPath(ofKey: key, reader: reader) else { return nil }
      return try attributes(at: path, reader: reader)
    }.result
  }

  /// The attributes of the item at an index path.
  ///
  /// - Returns: `nil` where the dataset has no such item.
  /// - Complexity: O(log items) nodes.
  public func attributes(at path: LayoutAttributes.IndexPath) throws -> LayoutAttributes? {
    try query { try attributes(at: path, reader: $0) }.result
  }

  /// The keys of a range of a section's items.
  ///
  /// - Parameters:
  ///   - items: The items' numbers in the section, clamped to it.
  ///   - section: The section's number.
  /// - Complexity: O(log items) nodes, and the leaves that hold the range.
  public func keys(ofItems items: Range<Int>, inSection section: Int) throws -> [String] {
    try query { reader in
      guard let section = try self.section(section, reader: reader) else { return [] }
      let range = items.clamped(to: 0..<section.itemCount)
      var keys: [String] = []
      try trees.items.forEachRun(
        in: (section.firstItem + range.lowerBound)..<(section.firstItem + range.upperBound),
        reader: reader
      ) { run in
        for index in 0..<run.count { keys.append(run.key(at: index)) }
      }
      return keys
    }.result
  }

  /// The attributes of a section's header or footer in its own place, not pinned.
  ///
  /// - Returns: `nil` where there is none.
  public func attributes(
    forSupplementary kind: LayoutAttributes.SupplementaryKind, inSection section: Int
  ) throws -> LayoutAttributes? {
    try query { reader in
      guard let section = try self.section(section, reader: reader) else { return nil }
      let length = kind == .header ? section.plan.header : section.plan.footer
      if length == .zero { return nil }
      return sectionElement(
        .supplementary(kind: kind),
        at: Rect(
          x: .zero, y: kind == .header ? .zero : section.frame.footerStart,
          width: plan.space.crossLength, height: length), of: section)
    }.result
  }

  /// The attributes of a section's background.
  ///
  /// - Returns: `nil` where there is none of the kind.
  public func attributes(
    forDecoration kind: String, inSection section: Int
  ) throws -> LayoutAttributes? {
    try query { reader in
      guard let section = try self.section(section, reader: reader),
        let background = section.plan.background, background.kind == kind,
        let place = section.frame.background(crossLength: plan.space.crossLength)
      else { return nil }
      return sectionElement(
        .decoration(kind: kind), at: place, of: section, zIndex: background.zIndex)
    }.result
  }

  /// Calls `body` with the extent of each section in order, from one on.
  ///
  /// - Parameters:
  ///   - first: The first section wanted.
  ///   - body: Returns whether to go on.
  /// - Complexity: O(log sections) nodes, and O(1) for each section.
  public func forEachSection(
    from first: Int = 0, _ body: (SectionExtent) throws -> Bool
  ) throws {
    _ = try query { reader in
      guard first < sectionCount else { return }
      var walk = SectionWalk(self, reader: reader)
      try walk.seek(section: first)
      while let section = try walk.advance() {
        let extent = SectionExtent(
          key: section.key, firstItem: section.firstItem, itemCount: section.itemCount,
          start: section.start, length: section.result.length)
        if try !body(extent) { return }
      }
    }
  }

  /// The ends of a section's columns from its content's start: each column's last
  /// item's, 0 without one. Empty for kinds without columns.
  ///
  /// - Complexity: O(log sections) nodes.
  public func columnEnds(inSection section: Int) throws -> [Length] {
    try query { reader in
      guard let section = try self.section(section, reader: reader),
        case .waterfall(let plan) = section.plan.kind,
        let tree = section.result.content.waterfall
      else { return [] }
      // The search checks that the tree fits the plan.
      _ = try search(section, reader: reader)
      return tree.summary.columnEnds(of: plan)
    }.result
  }

  private func indexPath(ofKey key: String, reader: TreeReader) throws -> IndexPath? {
    guard let item = try trees.itemIndex(ofKey: key, reader: reader) else { return nil }
    return try trees.place(ofItem: item, reader: reader).map {
      IndexPath(section: $0.section.index, item: $0.item)
    }
  }

  private func attributes(at path: IndexPath, reader: TreeReader) throws -> LayoutAttributes? {
    guard let item = path.item, item >= 0,
      let section = try section(path.section, reader: reader), item < section.itemCount
    else { return nil }
    var placed = try search(section, reader: reader).item(at: item)
    placed.frame.origin.y += section.start + section.frame.contentStart
    var items = ItemReader(trees.items, reader: reader)
    return cell(placed, key: try items.key(at: section.firstItem + item), of: section)
  }

  private func section(_ index: Int, reader: TreeReader) throws -> PlacedSection? {
    guard index >= 0, index < results.count else { return nil }
    var walk = SectionWalk(self, reader: reader)
    try walk.seek(section: index)
    return try walk.advance()
  }
}
