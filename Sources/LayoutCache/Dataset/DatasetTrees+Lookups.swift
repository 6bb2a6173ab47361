import LayoutGeometry
import LayoutStore
import SumTree

/// A section by its index, with the key that its configuration refers to.
struct SectionReference: Sendable, Hashable {
  var index: Int
  var key: String
}

extension DatasetTrees {
  /// Calls `body` with the items of a range and their data, run by run.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  /// - Complexity: O(log items) nodes, plus the leaves in the range.
  func forEachRun(
    of range: Range<Int>, in session: TreeSession, _ body: (ItemRun) throws -> Void
  ) throws {
    var data = ItemDataFinger(self.data, in: session)
    var start = range.lowerBound
    try items.forEachRun(of: range, in: session) { run in
      try body(ItemRun(run, data.run(of: start..<(start + run.count))))
      start += run.count
    }
  }

  /// Returns the keys of a range of items, in order.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  /// - Complexity: O(log items) nodes, plus the leaves in the range.
  func keys(ofItems range: Range<Int>, in session: TreeSession) throws -> [String] {
    var keys: [String] = []
    keys.reserveCapacity(range.count)
    try items.forEachLeaf(overlapping: range, in: session) { leaf, start in
      for number in range.clamped(to: start..<(start + leaf.count)) {
        keys.append(leaf.key(at: number - start))
      }
    }
    return keys
  }

  /// Returns the number of the item with a key, counted from the dataset's first.
  ///
  /// - Returns: `nil` if there is no such item.
  /// - Complexity: O(log items) nodes.
  func itemIndex(ofKey key: String, in session: TreeSession) throws -> Int? {
    try item(ofKey: key, in: session).map { $0.start + $0.index }
  }

  /// Returns the item with a key: its leaf, the number of the leaf's first item, and the item's
  /// index in the leaf.
  ///
  /// - Returns: `nil` if there is no such item.
  /// - Complexity: O(log items) nodes.
  func item(
    ofKey key: String, in session: TreeSession
  ) throws -> (leaf: ItemLeaf, start: Int, index: Int)? {
    try itemKeys.firstCandidate(for: key, in: session) { label in
      guard let (leaf, start) = try items.leaf(labelled: label, in: session) else {
        return nil
      }
      return leaf.firstIndex(ofKey: key).map { (leaf, start, $0) }
    }
  }

  /// Returns the number of the section with a key.
  ///
  /// - Returns: `nil` if there is no such section.
  /// - Complexity: O(log sections) nodes.
  func sectionIndex(ofKey key: String, in session: TreeSession) throws -> Int? {
    try sectionKeys.firstCandidate(for: key, in: session) { label in
      guard let (leaf, start) = try sections.leaf(labelled: label, in: session) else {
        return nil
      }
      return leaf.entries.firstIndex { ExactKey($0.key) == ExactKey(key) }.map { start + $0 }
    }
  }

  /// Returns the section of the item with a number, and the item's index in the section.
  ///
  /// - Returns: `nil` if there is no such item.
  /// - Complexity: O(log sections) nodes.
  func place(
    ofItem number: Int, in session: TreeSession
  ) throws -> (section: SectionReference, item: Int)? {
    try section(ofItem: number, in: session).map {
      ($0.section, number - $0.items.lowerBound)
    }
  }

  /// Returns the section of the item with a number, and the section's items, counted from the
  /// dataset's first.
  ///
  /// - Returns: `nil` if there is no such item.
  /// - Complexity: O(log sections) nodes.
  func section(
    ofItem number: Int, in session: TreeSession
  ) throws -> (section: SectionReference, items: Range<Int>)? {
    let place = try sections.firstPlace(
      from: SectionPosition(), where: { $0.item > number }, in: session)
    guard let place else { return nil }
    let entry = place.leaf.entries[place.index]
    let first = place.before.item
    return (
      SectionReference(index: place.offset, key: entry.key), first..<(first + entry.itemCount)
    )
  }

  /// Returns the items of a section, counted from the dataset's first.
  ///
  /// - Throws: ``MisplacedOperation`` if there is no such section.
  /// - Complexity: O(log sections) nodes.
  func items(ofSection section: Int, in session: TreeSession) throws -> Range<Int> {
    guard section >= 0, section < sections.count else { throw MisplacedOperation() }
    let place = try sections.place(at: section, from: SectionPosition(), in: session)
    let first = place.before.item
    return first..<(first + place.leaf.entries[place.index].itemCount)
  }

  /// Returns the number of items before a position in a section. Section and item are clamped to
  /// the existing ones.
  ///
  /// - Complexity: O(log sections) nodes.
  func number(
    ofItem item: Int, inSection section: Int, _ session: TreeSession
  ) throws -> Int {
    if section < 0 { return 0 }
    guard section < sections.count else { return items.count }
    let range = try items(ofSection: section, in: session)
    return range.lowerBound + max(0, min(item, range.count))
  }
}
