import LayoutStore
import SumTree

/// A dataset's entry in a listing.
public struct DatasetDescription: Hashable, Sendable {
  public var name: String
  public var revision: Int
  /// An opaque random identifier of the dataset's history; a new one after the dataset was
  /// removed and created again.
  public var incarnation: Incarnation
  public var sectionCount: Int
  public var itemCount: Int
  /// The order of the items; `nil` if operations state their places.
  public var order: DatasetOrder?
  /// The names of the dataset's layouts.
  public var layouts: [String]
  /// The last applied position of each source of changes; see
  /// ``BatchOperation/mark(source:position:after:)``.
  public var marks: [Mark]

  /// The last applied position of a source of changes.
  public struct Mark: Hashable, Sendable {
    public var source: String
    public var position: String
    /// The revision of the commit that set the mark.
    public var revision: Int
  }
}

/// A section's entry in a listing.
public struct SectionDescription: Hashable, Sendable {
  public var key: String
  /// The index of the section's first item in the dataset.
  public var firstItem: Int
  public var itemCount: Int
  /// The name of the section's style; `nil` for none.
  public var style: String?
}

extension LayoutCache {
  /// Returns the datasets, or a page of them, in the order of their names' UTF-8 bytes.
  ///
  ///     let first = try cache.datasets(limit: 100)
  ///     let next = try cache.datasets(after: first.last?.name, limit: 100)
  ///
  /// - Parameters:
  ///   - prefix: The bytes that the names begin with; empty for all datasets.
  ///   - name: The page begins after this name, which need not be a dataset's; `nil` for the
  ///     first page.
  ///   - limit: The maximum number of datasets; below 1, none are returned.
  /// - Throws: ``LayoutCacheError`` with `database`.
  /// - Complexity: O(log datasets + datasets returned); a dataset with commits that are not yet
  ///   in its trees is opened.
  public func datasets(
    prefix: String = "", after name: String? = nil, limit: Int = .max
  ) throws -> [DatasetDescription] {
    try mappingErrors(path) {
      try store.read { reader in
        try reader.datasets(prefix: prefix, after: name, limit: limit)
          .map { try description(of: $0, reader) }
      }
    }
  }

  /// Returns the names of the datasets that ``datasets(prefix:after:limit:)`` returns.
  package func datasetNames(
    prefix: String = "", after name: String? = nil, limit: Int = .max
  ) throws -> [String] {
    try mappingErrors(path) {
      try store.read { try $0.datasetNames(prefix: prefix, after: name, limit: limit) }
    }
  }

  /// Returns a dataset.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  public func dataset(_ name: String) throws -> DatasetDescription {
    try mappingErrors(path) {
      try store.read { try description(of: $0.requireDataset(name), $0) }
    }
  }

  private func description(
    of row: DatasetRow, _ reader: StoreReader
  ) throws -> DatasetDescription {
    let head = try reader.logHead(of: row.id)
    // The row's trees suffice: a new order is stored there, never only in the log.
    let order = try DatasetTrees(row, reader, options.treeShapes).order
    var description = DatasetDescription(
      name: row.name, revision: head.revision, incarnation: Incarnation(row.incarnation),
      sectionCount: row.sectionCount, itemCount: row.itemCount, order: order,
      layouts: try reader.layoutNames(of: row),
      marks: try reader.marks(of: row.id).map {
        DatasetDescription.Mark(source: $0.source, position: $0.position, revision: $0.revision)
      })
    if head.revision != row.revision {
      let trees = try current(row.name, reader: reader).trees
      description.sectionCount = trees.sections.count
      description.itemCount = trees.items.count
    }
    return description
  }

  /// Creates a dataset without sections, at revision 1.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - order: The order of its items; `nil` if operations will state their places.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `countLimit`, `database`.
  public func createDataset(_ name: String, order: DatasetOrder? = nil) throws {
    guard let order else { return try commit(.create(name)) }
    _ = try importItems(into: name, mode: .create, order: order) { _ in }
  }

  /// Gives a dataset another order, and sorts its items and derived sections by it.
  ///
  /// Like an import that rebuilds the dataset: the commit's updates are `everything`, it cannot be
  /// undone, and layouts are laid out from scratch. Marks and measured lengths stay; a derived
  /// section keeps the style and the measured lengths of a section with its key.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - order: The order; `nil` to keep the present order, in which operations then state places.
  ///   - expected: The required revision of the dataset; `nil` for any.
  /// - Returns: The dataset's revision: without a change the present one.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `revisionMismatch`, `limit` also for a value
  ///   that is too long for the key of a section, `concurrentModification` if other commits kept
  ///   changing the dataset, `database`.
  /// - Complexity: O(n log n) time for n items, in constant memory besides the section keys, without
  ///   the write lock.
  @discardableResult
  public func sortDataset(
    _ name: String, by order: DatasetOrder?, expecting expected: Int? = nil
  ) throws -> Int {
    try call { _ in
      var importer = try beginImport(into: name, .append, .fail, .remove)
      try importer.sort(by: order)
      importer.expected = expected
      return try finish(&importer, into: name, .append).revision
    }
  }

  /// Removes a dataset with its layouts and its log.
  ///
  /// The name can be reused immediately. Retained snapshots of the dataset throw. Its space is
  /// released in short transactions before the call returns.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - expected: The required revision of the dataset; `nil` for any. A node of a cluster compares
  ///     the newest in the shared log.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `revisionMismatch`, `database`.
  /// - Complexity: O(nodes of the dataset).
  public func removeDataset(_ name: String, expecting expected: Int? = nil) throws {
    try commit(.remove(name, expected: expected))
  }

  /// Renames a dataset; nothing else changes.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - other: Its new name.
  ///   - expected: As for ``removeDataset(_:expecting:)``.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `datasetExists`, `revisionMismatch`, `limit`,
  ///   `database`.
  public func renameDataset(
    _ name: String, to other: String, expecting expected: Int? = nil
  ) throws {
    try commit(.rename(name, to: other, expected: expected))
  }

  /// Calls `body` with each section of a dataset in order, all of one revision.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; errors of `body`.
  /// - Complexity: O(sections) in constant memory.
  public func forEachSection(
    of dataset: String, _ body: (SectionDescription) throws -> Void
  ) throws {
    try call { _ in
      var pass = try DatasetPass(over: dataset, of: self)
      try pass.run(withItems: false) { try body(SectionDescription($0)) }
    }
  }

  /// Calls `body` with each item of a dataset in order, all of one revision.
  ///
  /// - Parameters:
  ///   - dataset: The dataset's name.
  ///   - withData: Whether to read the items' data.
  ///   - body: Called with the key of the item's section, and the item.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; errors of `body`.
  /// - Complexity: O(items) in constant memory.
  public func forEachItem(
    of dataset: String, withData: Bool = true,
    _ body: (_ section: String, _ item: Item) throws -> Void
  ) throws {
    try exportItems(of: dataset, withData: withData) { _ in
    } _: {
      try body($0.key, $1)
    }
  }

  /// As ``forEachItem(of:withData:_:)``, with the sections' styles.
  ///
  /// - Parameters:
  ///   - begin: Called before the first item with whether some section has a style, and whether
  ///     some item is not shown.
  ///   - body: Called with the item's section and the item.
  package func exportItems(
    of dataset: String, withData: Bool, begin: ((styles: Bool, hidden: Bool)) throws -> Void,
    _ body: (_ section: SectionDescription, _ item: Item) throws -> Void
  ) throws {
    try call { _ in
      var contents = (styles: false, hidden: false)
      var pass = try DatasetPass(over: dataset, of: self) { state, reader in
        let session = TreeSession(reader, keepsNodes: false)
        try state.trees.sections.forEachLeaf(in: session) { leaf, _ in
          contents.styles = contents.styles || leaf.entries.contains { $0.style != nil }
        }
        contents.hidden = state.trees.items.summary.isPartlyHidden
      }
      try begin(contents)
      try pass.run(withData: withData) { part in
        if part.items.count == 0 { return }
        let section = SectionDescription(part)
        for index in 0..<part.items.count {
          try body(section, part.items.item(at: index, data: part.data?[index]))
        }
      }
    }
  }

  /// Returns a dataset's state in the file's committed state that `reader` sees.
  ///
  /// - Parameter known: An earlier state, from which it continues; `nil` for full scans, which do
  ///   not fill the caches.
  func current(
    _ dataset: String, known: DatasetState? = nil, wanted: String? = nil, reader: StoreReader
  ) throws -> DatasetState {
    try DatasetState.current(
      dataset, known: known, wanted: wanted, reader: reader, kinds: customKinds,
      shapes: options.treeShapes)
  }

  /// Runs `body` on a dataset's state in one committed state of the file. The state in memory is
  /// advanced to it, with the layouts that `body` activates.
  ///
  /// - Parameters:
  ///   - generation: The store's generation, before anything is read; `nil` for the present one.
  ///   - wanted: A layout that `body` activates.
  ///   - isLong: Whether `body` may take long.
  func reading<R>(
    _ dataset: String, generation: Int? = nil, wanted: String? = nil, isLong: Bool = false,
    _ body: (inout DatasetState, StoreReader) throws -> R
  ) throws -> R {
    let generation = generation ?? store.foreignGeneration()
    return try openDatasets.withDataset(dataset) { dataset in
      var reading = OpenDataset.Reading(dataset, generation: generation)
      func read(_ reader: StoreReader) throws -> (result: R, state: DatasetState) {
        var state = try current(
          dataset.name, known: reading.known, wanted: wanted, reader: reader)
        return (try body(&state, reader), state)
      }
      let (result, state) = try isLong ? store.readLong(read) : store.read(read)
      reading.advance(to: state)
      return result
    }
  }
}

extension SectionDescription {
  fileprivate init(_ part: DatasetPass.Part) {
    self.init(
      key: part.section.key, firstItem: part.firstItem, itemCount: part.section.itemCount,
      style: part.section.style)
  }
}
