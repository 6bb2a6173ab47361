import LayoutGeometry
import LayoutStore
import SumTree

extension DatasetTrees {
  /// The number of the item with a key, counted from the dataset's first.
  ///
  /// - Returns: `nil` where there is no such item.
  /// - Complexity: O(log items) nodes.
  func itemIndex(ofKey key: String, reader: TreeReader) throws -> Int? {
    try itemKeys.firstCandidate(for: key, reader: reader) { label in
      guard let (leaf, start) = try items.leaf(labelled: label, reader: reader) else {
        return nil
      }
      return leaf.firstIndex(ofKey: key).map { start + $0 }
    }
  }

  /// The number of the section with a key.
  ///
  /// - Returns: `nil` where there is no such section.
  /// - Complexity: O(log sections) nodes.
  func sectionIndex(ofKey key: String, reader: TreeReader) throws -> Int? {
    try sectionKeys.firstCandidate(for: key, reader: reader) { label in
      guard let (leaf, start) = try sections.leaf(labelled: label, reader: reader) else {
        return nil
      }
      return leaf.entries.firstIndex { ExactKey($0.key) == ExactKey(key) }.map { start + $0 }
    }
  }

  /// The section of the item with a number, and its index there.
  ///
  /// - Returns: `nil` where there is no such item.
  /// - Complexity: O(log sections) nodes.
  func place(
    ofItem number: Int, reader: TreeReader
  ) throws -> (section: SectionReference, item: Int)? {
    guard
      let place = try sections.firstLeaf(
        from: SectionPlace(), where: { $0.item > number }, reader: reader)
    else { return nil }
    var first = place.before.item
    for (offset, entry) in place.leaf.entries.enumerated() {
      if number < first + entry.itemCount {
        let section = SectionReference(index: place.before.section + offset, key: entry.key)
        return (section, number - first)
      }
      first += entry.itemCount
    }
    return nil
  }

  /// The number of a section's first item, counted from the dataset's.
  ///
  /// - Throws: ``MisplacedOperation`` where there is no such section.
  /// - Complexity: O(log sections) nodes.
  func firstItem(ofSection section: Int, reader: TreeReader) throws -> Int {
    guard section < sections.count else { throw MisplacedOperation() }
    let place = try sections.leaf(containing: section, from: SectionPlace(), reader: reader)
    return place.leaf.entries[..<(section - place.offset)].reduce(place.before.item) {
      $0 + $1.itemCount
    }
  }
}
