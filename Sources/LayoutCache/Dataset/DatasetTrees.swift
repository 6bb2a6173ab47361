import LayoutGeometry
import LayoutStore
import SumTree

/// A dataset at one revision: its items, their data, its sections, and the indexes of their keys.
struct DatasetTrees: Sendable {
  var items: SumTree<ItemLeaf>
  /// The data of the items that have data.
  var data: SumTree<ItemDataLeaf>
  var sections: SumTree<SectionLeaf>
  var itemKeys: KeyIndex
  var sectionKeys: KeyIndex
  /// The measured lengths of layouts' headers and footers, by the layouts' ids. Those of removed
  /// layouts stay until the next measurement.
  var layoutLengths: [Int64: SupplementaryLengths] = [:]
  /// The order of the items; `nil` if operations state their places. Its elements of ``data`` have
  /// ranks.
  var order: DatasetOrder?

  /// Creates a dataset without sections.
  init(hash: KeyedHash, shapes: TreeShapes) {
    items = SumTree(shape: shapes.items)
    data = SumTree(shape: shapes.data)
    sections = SumTree(shape: shapes.sections)
    itemKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
    sectionKeys = KeyIndex(tree: SumTree(shape: shapes.keys), hash: hash)
  }

  // The roots of items, sections, item keys and section keys, each preceded by a byte: 0 for an
  // empty tree, 1 for a stored root; then the root of data, if the tree is not empty or something
  // follows; then, if there are some or something follows, the number of layouts with measured
  // lengths, varint, and for each, by id: id varint, lengths as SupplementaryLengths; then the
  // order, if there is one.

  /// The encoding of the roots in a dataset's row.
  ///
  /// - Precondition: Every tree is stored.
  var encodedRoots: [UInt8] {
    var writer = ByteWriter()
    items.encodeRoot(into: &writer)
    sections.encodeRoot(into: &writer)
    itemKeys.tree.encodeRoot(into: &writer)
    sectionKeys.tree.encodeRoot(into: &writer)
    let hasEnd = !layoutLengths.isEmpty || order != nil
    if !data.isEmpty || hasEnd { data.encodeRoot(into: &writer) }
    if hasEnd { writer.writeCount(layoutLengths.count) }
    for (layout, lengths) in layoutLengths.sorted(by: { $0.key < $1.key }) {
      writer.writeVarint(UInt64(layout))
      lengths.encode(into: &writer)
    }
    order?.encode(into: &writer)
    return writer.bytes
  }

  /// Opens the trees of a dataset's row without reading a node.
  ///
  /// - Throws: `ByteError` for malformed roots.
  init(encodedRoots: [UInt8], in space: NodeSpace, hash: KeyedHash, shapes: TreeShapes) throws {
    self.init(hash: hash, shapes: shapes)
    try ByteReader.read(encodedRoots, nodeIDs: space.nodeIDs) { reader in
      items = try SumTree(shape: shapes.items, encodedRoot: &reader)
      sections = try SumTree(shape: shapes.sections, encodedRoot: &reader)
      itemKeys.tree = try SumTree(shape: shapes.keys, encodedRoot: &reader)
      sectionKeys.tree = try SumTree(shape: shapes.keys, encodedRoot: &reader)
      if !reader.isAtEnd { data = try SumTree(shape: shapes.data, encodedRoot: &reader) }
      let measured = reader.isAtEnd ? 0 : try reader.readCount(limit: .max, sizeMin: 3)
      for _ in 0..<measured {
        let layout = Int64(try reader.readCount(limit: .max))
        layoutLengths[layout] = try SupplementaryLengths(from: &reader)
      }
      if !reader.isAtEnd { order = try DatasetOrder(from: &reader) }
      try reader.expectEnd()
    }
  }

  /// Writes the nodes created by edits.
  ///
  /// Must be called in the transaction that also stores the roots. If that is rolled back, the
  /// value must be discarded.
  func store(into sink: any NodeSink) throws {
    try itemKeys.requireOrder()
    try sectionKeys.requireOrder()
    try items.store(into: sink).publish()
    try data.store(into: sink).publish()
    try sections.store(into: sink).publish()
    try itemKeys.tree.store(into: sink).publish()
    try sectionKeys.tree.store(into: sink).publish()
  }

  /// Releases the loaded nodes.
  mutating func unload() {
    items = items.unloaded()
    data = data.unloaded()
    sections = sections.unloaded()
    itemKeys.tree = itemKeys.tree.unloaded()
    sectionKeys.tree = sectionKeys.tree.unloaded()
  }
}

extension SumTree {
  /// Writes the root, preceded by a byte that tells whether it exists.
  ///
  /// - Precondition: The tree is stored.
  func encodeRoot(into writer: inout ByteWriter) {
    guard !isEmpty else { return writer.writeUInt8(0) }
    guard let storedRoot else { preconditionFailure("a tree is stored before its root") }
    writer.writeUInt8(1)
    storedRoot.encode(into: &writer)
  }

  /// Opens a tree from the encoding of ``encodeRoot(into:)`` without reading a node.
  init(shape: TreeShape, encodedRoot reader: inout ByteReader) throws(ByteError) {
    self.init(shape: shape)
    if try reader.readUInt8() == 1 {
      self.init(shape: shape, storedRoot: try StoredRoot(from: &reader))
    }
  }
}

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
      guard let (leaf, start) = try items.leaf(labelled: label, in: session) else { return nil }
      return leaf.firstIndex(ofKey: key).map { (leaf, start, $0) }
    }
  }

  /// Returns the number of the section with a key.
  ///
  /// - Returns: `nil` if there is no such section.
  /// - Complexity: O(log sections) nodes.
  func sectionIndex(ofKey key: String, in session: TreeSession) throws -> Int? {
    try sectionKeys.firstCandidate(for: key, in: session) { label in
      guard let (leaf, start) = try sections.leaf(labelled: label, in: session) else { return nil }
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
  /// - Throws: ``Damage`` if there is no such section.
  /// - Complexity: O(log sections) nodes.
  func items(ofSection section: Int, in session: TreeSession) throws -> Range<Int> {
    guard section >= 0, section < sections.count else { throw Damage.misplaced }
    let place = try sections.place(at: section, from: SectionPosition(), in: session)
    let first = place.before.item
    return first..<(first + place.leaf.entries[place.index].itemCount)
  }

  /// Returns the number of a section's items that are not collapsed.
  ///
  /// - Parameter first: The number of its first item, counted from the dataset's first.
  func placedCount(
    of section: SectionLeaf.Entry, from first: Int, _ session: TreeSession
  ) throws -> Int {
    let range = first..<(first + section.itemCount)
    return range.count - (try items.collapsedCount(in: range, session))
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

  /// The items and sections that were measured for a layout.
  struct Measured {
    /// The sections whose header or footer was measured, in order.
    var sections: [SectionReference] = []
    /// The numbers of the items that were measured, counted from the dataset's first, in order.
    var items: [Int] = []
  }

  /// Returns the items and sections with measured lengths in a layout.
  ///
  /// - Parameter layout: The layout's ID.
  /// - Complexity: O(items) time, O(measured items) memory; reads all leaves of items and sections.
  func measured(in layout: Int64, _ session: TreeSession) throws -> Measured {
    var measured = Measured()
    try sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() where entry.measured(in: layout) != .none {
        measured.sections.append(SectionReference(index: start + index, key: entry.key))
      }
    }
    try items.forEachLeaf(in: session) { leaf, start in
      for preferred in leaf.preferredLengths where preferred.layout == layout {
        measured.items.append(start + preferred.item)
      }
    }
    return measured
  }
}
