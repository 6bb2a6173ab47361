public import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// An item and its position in the dataset, independent of layouts.
public struct ItemDescription: Hashable, Sendable {
  public var item: Item
  public var sectionKey: String
  /// The index of the section in the dataset, and of the item in the section.
  public var indexPath: LayoutAttributes.IndexPath
  /// The dataset's revision.
  public var revision: Int
}

extension LayoutCache {
  /// Returns the item with a key, without a layout.
  ///
  /// - Returns: `nil` if the dataset has no such item.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log items) nodes.
  public func item(forKey key: String, of dataset: String) throws -> ItemDescription? {
    try lookingUp(dataset) { trees, revision, session in
      guard let (leaf, start, index) = try trees.item(ofKey: key, in: session),
        let place = try trees.place(ofItem: start + index, in: session)
      else { return nil }
      return ItemDescription(
        item: leaf.item(at: index, data: try trees.data.data(ofItem: start + index, in: session)),
        sectionKey: place.section.key,
        indexPath: LayoutAttributes.IndexPath(section: place.section.index, item: place.item),
        revision: revision)
    }
  }

  /// Whether a dataset has an item with a key.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log items) nodes.
  public func hasItem(forKey key: String, of dataset: String) throws -> Bool {
    try lookingUp(dataset) { trees, _, session in
      try trees.itemIndex(ofKey: key, in: session) != nil
    }
  }

  /// Returns the item at an index path, without a layout.
  ///
  /// - Returns: `nil` if the dataset has no such item.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log items) nodes.
  public func item(
    at path: LayoutAttributes.IndexPath, of dataset: String
  ) throws -> ItemDescription? {
    try lookingUp(dataset) { trees, revision, session in
      guard let index = path.item, (0..<trees.sections.count).contains(path.section) else {
        return nil
      }
      let section = try trees.sections.place(at: path.section, from: SectionPosition(), in: session)
      let entry = section.leaf.entries[section.index]
      guard (0..<entry.itemCount).contains(index) else { return nil }
      let number = section.before.item + index
      let found = try trees.items.place(at: number, in: session)
      return ItemDescription(
        item: found.leaf.item(
          at: found.index, data: try trees.data.data(ofItem: number, in: session)),
        sectionKey: entry.key, indexPath: path, revision: revision)
    }
  }

  /// Returns the keys of the items in a range of index paths, in order, across sections.
  ///
  ///     let first = LayoutAttributes.IndexPath(section: 2, item: 0)
  ///     let keys = try cache.keys(in: first..<LayoutAttributes.IndexPath(section: 3), of: "tate")
  ///
  /// - Parameters:
  ///   - paths: A half-open range, clamped to the dataset. A path without an item precedes its
  ///     section's items; a path after a section's last item precedes the next section's items.
  ///   - dataset: The dataset's name.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log items) nodes, and the leaves that hold the range.
  public func keys(
    in paths: Range<LayoutAttributes.IndexPath>, of dataset: String
  ) throws -> [String] {
    try lookingUp(dataset) { trees, _, session in
      func number(of path: LayoutAttributes.IndexPath) throws -> Int {
        try trees.number(ofItem: path.item ?? 0, inSection: path.section, session)
      }
      return try trees.keys(
        ofItems: number(of: paths.lowerBound)..<number(of: paths.upperBound), in: session)
    }
  }

  /// Returns the section with a key and its index in the dataset, without a layout.
  ///
  /// - Returns: `nil` if the dataset has no such section.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(log sections) nodes.
  public func section(
    forKey key: String, of dataset: String
  ) throws -> (index: Int, section: SectionDescription)? {
    try lookingUp(dataset) { trees, _, session in
      guard let index = try trees.sectionIndex(ofKey: key, in: session) else { return nil }
      let place = try trees.sections.place(at: index, from: SectionPosition(), in: session)
      let entry = place.leaf.entries[place.index]
      return (
        index,
        SectionDescription(
          key: key, firstItem: place.before.item, itemCount: entry.itemCount, style: entry.style)
      )
    }
  }

  /// Returns the parts of a configuration that do not match a dataset: overrides of sections that
  /// it lacks, and styles of its sections without options. They are accepted, because sections
  /// may come and styles may matter to other layouts only.
  ///
  /// - Returns: A sentence for each kind of mismatch.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  /// - Complexity: O(sections + overrides); O(overrides · log sections) for few overrides.
  package func warnings(
    about configuration: LayoutConfiguration, of dataset: String
  ) throws -> [String] {
    if configuration.sections.isEmpty && configuration.styles.isEmpty { return [] }
    return try lookingUp(dataset) { trees, _, session in
      var warnings: [String] = []
      let missing = try trees.sections(
        missingOf: configuration.sections.keys.map(\.string).sorted(), in: session)
      if !missing.isEmpty {
        warnings.append("the dataset has no section \(listing(missing, upTo: 5)) of 'sections'")
      }
      let unknown =
        configuration.styles.isEmpty
        ? [] : try trees.styles(missingIn: configuration.styles.keys, in: session)
      if !unknown.isEmpty {
        warnings.append(
          "sections have the style \(listing(unknown, upTo: 5)), which 'styles' lacks")
      }
      return warnings
    }
  }

  /// Runs `body` on a dataset's current trees, preferably those in memory.
  private func lookingUp<R>(
    _ dataset: String,
    _ body: (_ trees: DatasetTrees, _ revision: Int, _ session: TreeSession) throws -> R
  ) throws -> R {
    try call { generation in
      try reading(dataset, generation: generation) { state, reader in
        let session = TreeSession(reader)
        defer { noteLoaded(session) }
        return try body(state.trees, state.revision, session)
      }
    }
  }
}

extension DatasetTrees {
  /// The number of keys up to which each is looked up.
  private static let soughtKeys = 64

  /// Returns the keys that no section has, in order.
  fileprivate func sections(
    missingOf keys: [String], in session: TreeSession
  ) throws -> [String] {
    guard keys.count > Self.soughtKeys else {
      return try keys.filter { try sectionIndex(ofKey: $0, in: session) == nil }
    }
    var missing = Set(keys.map(ExactKey.init))
    try sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries { missing.remove(ExactKey(entry.key)) }
    }
    return keys.filter { missing.contains(ExactKey($0)) }
  }

  /// Returns the styles of sections that are not among some names, in order.
  fileprivate func styles(
    missingIn names: some Sequence<ExactKey>, in session: TreeSession
  ) throws -> [String] {
    let known = Set(names)
    var missing: Set<ExactKey> = []
    try sections.forEachLeaf(in: session) { leaf, _ in
      for style in leaf.entries.lazy.compactMap(\.style).map(ExactKey.init) {
        if !known.contains(style) { missing.insert(style) }
      }
    }
    return missing.map(\.string).sorted()
  }
}
