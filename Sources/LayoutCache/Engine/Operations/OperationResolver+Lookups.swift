import LayoutGeometry
import LayoutStore
import SumTree

/// The position of an item, or between two items.
struct ItemPosition {
  var section: SectionReference
  /// The item's number in its section.
  var index: Int
  /// The item's number, counted from the dataset's first.
  var number: Int

  /// Returns the index after another item is removed.
  func index(without other: ItemPosition?) -> Int {
    guard let other, other.section == section, other.index < index else { return index }
    return index - 1
  }
}

/// A finder of items by key, which remembers the leaf and section of the last item: neighbours,
/// the usual case in batches, need no search.
///
/// It is valid for one version of the trees.
struct ItemFinder {
  private var leaf = ItemLeaf()
  private var leafStart = 0
  private var section: SectionReference?
  private var sectionItems = 0..<0

  /// Returns the position of the item with a key; `nil` if there is no such item.
  ///
  /// - Complexity: O(log items) nodes; none for a neighbour of the last item.
  mutating func place(
    ofKey key: String, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemPosition? {
    if let index = leaf.firstIndex(ofKey: key) {
      return try place(ofItem: leafStart + index, in: trees, session)
    }
    guard let found = try trees.item(ofKey: key, in: session) else { return nil }
    (leaf, leafStart) = (found.leaf, found.start)
    return try place(ofItem: found.start + found.index, in: trees, session)
  }

  /// Returns the item at a position as a separate leaf.
  ///
  /// - Complexity: As for ``place(ofKey:in:_:)``.
  mutating func run(
    at place: ItemPosition, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemLeaf {
    if !(leafStart..<(leafStart + leaf.count)).contains(place.number) {
      (leaf, leafStart) = try trees.items.leaf(containing: place.number, in: session)
    }
    let index = place.number - leafStart
    var run = leaf.slice(index..<(index + 1))
    run.label = 0
    return run
  }

  /// Returns the natural size and span of the item at a position.
  ///
  /// - Complexity: As for ``place(ofKey:in:_:)``.
  mutating func shape(
    at place: ItemPosition, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> (size: Size, columnSpan: Int) {
    if !(leafStart..<(leafStart + leaf.count)).contains(place.number) {
      (leaf, leafStart) = try trees.items.leaf(containing: place.number, in: session)
    }
    let index = place.number - leafStart
    return (leaf.size(at: index), leaf.columnSpan(at: index))
  }

  /// Records that an item of the trees was changed to the one item of a leaf.
  mutating func note(_ run: ItemLeaf) {
    if let index = leaf.firstIndex(ofKey: run.key(at: 0)) { leaf.change(at: index, to: run) }
  }

  private mutating func place(
    ofItem number: Int, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemPosition? {
    if !sectionItems.contains(number) {
      guard let found = try trees.section(ofItem: number, in: session) else { return nil }
      (section, sectionItems) = (found.section, found.items)
    }
    return section.map {
      ItemPosition(section: $0, index: number - sectionItems.lowerBound, number: number)
    }
  }
}

extension OperationResolver {
  /// Returns the position named by a destination.
  ///
  /// - Parameter old: The position of an item that will be removed first; the result is counted
  ///   without it.
  mutating func place(
    of destination: ItemDestination, without old: ItemPosition? = nil
  ) throws -> (section: SectionReference, index: Int) {
    switch destination {
    case .end(let key):
      let section = try section(key)
      return (section, try itemCount(of: section, without: old))
    case .index(let index, let key):
      let section = try section(key)
      try check(index, count: try itemCount(of: section, without: old))
      return (section, index)
    case .before(let key):
      let place = try item(key)
      return (place.section, place.index(without: old))
    case .after(let key):
      var place = try item(key)
      place.index += 1
      return (place.section, place.index(without: old))
    }
  }

  private func itemCount(of section: SectionReference, without old: ItemPosition?) throws -> Int {
    let count = try trees.items(ofSection: section.index, in: session).count
    return old?.section == section ? count - 1 : count
  }

  mutating func item(_ key: String) throws -> ItemPosition {
    guard let place = try finder.place(ofKey: key, in: trees, session) else {
      throw OperationError.Reason.noSuchKey(key)
    }
    return place
  }

  func section(_ key: String) throws -> SectionReference {
    guard let index = try trees.sectionIndex(ofKey: key, in: session) else {
      throw OperationError.Reason.noSuchSection(key)
    }
    return SectionReference(index: index, key: key)
  }

  func check(_ index: Int, count: Int) throws {
    guard (0...max(count, 0)).contains(index) else {
      throw OperationError.Reason.indexOutOfRange(index, count: count)
    }
  }

  func within(_ key: String?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LimitError {
      throw OperationError.Reason.limit(error, key: key)
    }
  }
}
