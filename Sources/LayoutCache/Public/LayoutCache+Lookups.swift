public import CollectionLayout
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
        item: leaf.item(
          at: index, data: try trees.data.data(ofItem: start + index, in: session)),
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
      let section = try trees.sections.place(
        at: path.section, from: SectionPosition(), in: session)
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
      let items = try trees.items(ofSection: index, in: session)
      return (
        index,
        SectionDescription(key: key, firstItem: items.lowerBound, itemCount: items.count)
      )
    }
  }

  /// Runs `body` on a dataset's current trees, preferably those in memory.
  private func lookingUp<R>(
    _ dataset: String,
    _ body: (_ trees: DatasetTrees, _ revision: Int, _ session: TreeSession) throws -> R
  ) throws -> R {
    try call { generation in
      let known = openDatasets.known(dataset)
      let (result, state) = try store.read { reader in
        let state = try current(dataset, known: known.state, reader: reader)
        let session = TreeSession(reader)
        defer { noteLoaded(session) }
        return (try body(state.trees, state.revision, session), state)
      }
      openDatasets.take(state, generation: generation, since: known)
      return result
    }
  }
}
