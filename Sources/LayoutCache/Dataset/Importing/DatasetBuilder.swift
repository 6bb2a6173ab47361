import LayoutGeometry
import LayoutStore
import SumTree

/// A builder of a dataset's trees from items in order, or of a sorted dataset from items in any
/// order. It writes each node once, in constant memory; without a sink, the trees are in memory.
struct DatasetBuilder {
  private let hash: KeyedHash
  private let sink: SpaceFiller?
  /// Reads what the sink has written.
  private let source: (any NodeSource)?
  private let shapes: TreeShapes
  private var items: TreeBuilder<ItemLeaf>
  private var data: TreeBuilder<ItemDataLeaf>
  /// The number of items after the last one with data.
  private var itemsWithoutData = 0
  private var sections: TreeBuilder<SectionLeaf>
  private(set) var itemCount = 0
  private let itemKeys: KeySorter
  private let sectionKeys: KeySorter
  private let order: DatasetOrder?
  /// The items to sort; `nil` if they are in order.
  private var sorter: ItemSorter?
  /// The sections of the items to sort.
  private var entries: [SectionLeaf.Entry] = []

  /// - Parameters:
  ///   - order: The order of the dataset; `nil` if the items are in no particular one.
  ///   - isInOrder: Whether sections and items are appended in the order.
  ///   - source: Reads what the sink has written.
  ///   - sortBytesMax: The memory for sorting the item keys, in bytes.
  init(
    into sink: SpaceFiller?, _ source: (any NodeSource)?, hash: KeyedHash, shapes: TreeShapes,
    order: DatasetOrder?, isInOrder: Bool = false, sortBytesMax: Int
  ) {
    self.shapes = shapes
    self.order = order
    sorter = isInOrder ? nil : order.map { ItemSorter(by: $0, memoryBytesMax: sortBytesMax) }
    let itemKeys = KeySorter(memoryBytesMax: sortBytesMax)
    let sectionKeys = KeySorter(memoryBytesMax: sortBytesMax)
    self.hash = hash
    self.sink = sink
    self.source = source
    self.itemKeys = itemKeys
    self.sectionKeys = sectionKeys
    items = Self.builder(shapes.items, sink: sink, keys: itemKeys, hash: hash)
    data = TreeBuilder(shape: shapes.data, sink: sink)
    sections = Self.builder(shapes.sections, sink: sink, keys: sectionKeys, hash: hash)
  }

  /// Returns a builder that labels its leaves and collects their keys for the index.
  private static func builder<Leaf: LabelledLeaf>(
    _ shape: TreeShape, sink: SpaceFiller?, keys: KeySorter, hash: KeyedHash
  ) -> TreeBuilder<Leaf> {
    var labels = LabelSequence()
    return TreeBuilder(shape: shape, sink: sink) { leaf in
      leaf.label = labels.next()
      for key in leaf.keyHashes(hash) {
        try keys.add(KeyIndexEntry(hash: key, label: leaf.label))
      }
    }
  }

  /// Appends a run of the current section's items.
  mutating func append(_ run: ItemRun) throws {
    itemCount += run.count
    guard sorter == nil else {
      // The section of the entry that follows.
      try sorter?.append(run, section: "\(entries.count)")
      return
    }
    try place(run)
  }

  private mutating func place(_ run: ItemRun) throws {
    try items.append(run.items)
    if run.data.isEmpty {
      itemsWithoutData += run.count
    } else {
      try data.append(run.data.ranked(by: order).leaf.after(itemsWithoutData))
      itemsWithoutData = run.data.trailingCount
    }
  }

  /// Ends the current section.
  mutating func endSection(_ entry: SectionLeaf.Entry) throws {
    if sorter == nil { return try sections.append(SectionLeaf(entries: [entry])) }
    if order?.sections == nil { try sorter?.addSection("\(entries.count)", style: nil) }
    entries.append(entry)
  }

  /// Appends the sorted items, and the sections, derived ones instead of the given ones.
  private mutating func placeSorted() throws {
    guard var sorter, let order else { return }
    try sorter.finish()
    self.sorter = nil
    let known = Dictionary(entries.map { (ExactKey($0.key), $0) }) { first, _ in first }
    for number in sorter.sectionKeys.indices {
      let key = sorter.sectionKeys[number]
      var entry = SectionLeaf.Entry(key: key, itemCount: 0)
      if order.sections == nil {
        entry = entries[number]
      } else if let known = known[ExactKey(key)] {
        entry = known
      }
      entry.style = entry.style ?? order.sections?.style
      entry.itemCount = 0
      try sorter.forEachItemRun(ofSection: number) { run in
        try place(run)
        entry.itemCount += run.count
      }
      try endSection(entry)
    }
  }

  /// Completes the trees.
  ///
  /// - Parameter error: Returns the error to throw if items or sections share keys; gets these keys,
  ///   up to a number that suffices to find the first duplicate in an input repeated as a whole.
  mutating func finish(
    orThrow error: (_ duplicates: Set<ExactKey>) throws -> any Error
  ) throws -> DatasetTrees {
    try placeSorted()
    var trees = DatasetTrees(hash: hash, shapes: shapes)
    trees.order = order
    trees.items = try items.finish()
    trees.data = try data.finish()
    trees.sections = try sections.finish()
    // The leaves must be readable to check for duplicate keys.
    try sink?.flush()
    trees.sectionKeys.tree = try index(sectionKeys, of: trees.sections, error)
    trees.itemKeys.tree = try index(itemKeys, of: trees.items, error)
    try sink?.flush()
    return trees
  }

  /// Builds the index of a tree's keys.
  private func index<Leaf: LabelledLeaf>(
    _ keys: KeySorter, of tree: SumTree<Leaf>, _ error: (Set<ExactKey>) throws -> any Error
  ) throws -> SumTree<KeyIndexLeaf> {
    let session = TreeSession(source, keepsNodes: false)
    var duplicates: Set<ExactKey> = []
    let index = try self.index(keys) { candidates in
      guard duplicates.count < 100_000 else { return }
      try duplicates.formUnion(Self.duplicateKeys(in: candidates, tree, hash: hash, in: session))
    }
    if !duplicates.isEmpty { throw try error(duplicates) }
    return index
  }

  /// Builds an index from sorted entries.
  ///
  /// - Parameter inspect: Called with each group of entries that have the same hash.
  private func index(
    _ sorter: KeySorter, inspect: ([KeyIndexEntry]) throws -> Void
  ) throws -> SumTree<KeyIndexLeaf> {
    var builder = TreeBuilder<KeyIndexLeaf>(shape: shapes.keys, sink: sink)
    var run = KeyIndexLeaf()
    var sameHash: [KeyIndexEntry] = []
    try sorter.forEachSorted { entry in
      if entry.hash != sameHash.first?.hash {
        if sameHash.count > 1 { try inspect(sameHash) }
        sameHash.removeAll(keepingCapacity: true)
      }
      sameHash.append(entry)
      run.entries.append(entry)
      if run.count == 4096 {
        try builder.append(run)
        run.entries.removeAll(keepingCapacity: true)
      }
    }
    if sameHash.count > 1 { try inspect(sameHash) }
    try builder.append(run)
    return try builder.finish()
  }

  /// Returns the keys shared by several elements among the candidates with the same hash.
  private static func duplicateKeys<Leaf: LabelledLeaf>(
    in entries: [KeyIndexEntry], _ tree: SumTree<Leaf>, hash: KeyedHash, in session: TreeSession
  ) throws -> Set<ExactKey> {
    var seen: Set<ExactKey> = []
    var duplicates: Set<ExactKey> = []
    for label in Set(entries.map(\.label)).sorted() {
      guard let leaf = try tree.leaf(labelled: label, in: session)?.leaf else { continue }
      for index in 0..<leaf.count {
        let key = ExactKey(leaf.key(at: index))
        guard hash.ofKey(key.string) == entries[0].hash else { continue }
        if !seen.insert(key).inserted { duplicates.insert(key) }
      }
    }
    return duplicates
  }
}
