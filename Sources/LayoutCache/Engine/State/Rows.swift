import CollectionLayout
import LayoutGeometry
package import LayoutStore
import SumTree

extension StoreReader {
  /// Returns the dataset with a name.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`, `noSuchDataset`.
  package func requireDataset(_ name: String) throws -> DatasetRow {
    try LayoutCacheError.check(name: name, as: "dataset name")
    guard let row = try dataset(named: name) else { throw LayoutCacheError(.noSuchDataset(name)) }
    return row
  }

  /// Returns the layout of a dataset with a name; see ``presentLayout(named:of:)``.
  ///
  /// - Throws: ``LayoutCacheError`` with `limit`, `noSuchLayout`.
  func requireLayout(_ name: String, of dataset: DatasetRow) throws -> LayoutRow {
    try LayoutCacheError.check(name: name, as: "layout name")
    guard let row = try presentLayout(named: name, of: dataset) else {
      throw LayoutCacheError(.noSuchLayout(LayoutID(name, of: dataset.name)))
    }
    return row
  }
}

extension DatasetRow {
  /// Checks a revision of the dataset against the one that a change expects, if any.
  ///
  /// - Throws: ``LayoutCacheError`` with `revisionMismatch`.
  func require(_ expected: Int?, at revision: Int) throws {
    if let expected, expected != revision {
      throw LayoutCacheError(
        .revisionMismatch(expected: expected, present: revision, dataset: name))
    }
  }

  /// Returns whether two rows refer to the same stored trees.
  func isSameCheckpoint(as other: DatasetRow) -> Bool {
    id == other.id && incarnation == other.incarnation && space == other.space
      && revision == other.revision && nextNode == other.nextNode
  }
}

extension LayoutRow {
  /// Whether the layout has a result of this version of the rules; other results cannot be read.
  var hasReadableResult: Bool { result?.rules == LayoutRules.version }

  /// The revision to which the layout was last brought up to date, with its present configuration.
  var preparedRevision: Int? { isOutdated || !hasReadableResult ? nil : result?.revision }

  /// Returns whether two rows refer to the same stored result of the same configuration.
  func isSameCheckpoint(as other: LayoutRow) -> Bool {
    guard let mine = result, let its = other.result else { return false }
    return id == other.id && configuration.isExactly(other.configuration)
      && mine.configuration.isExactly(its.configuration) && mine.space == its.space
      && mine.revision == its.revision && mine.nextNode == its.nextNode
  }
}

extension DatasetTrees {
  /// Opens the trees of a row.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  init(_ row: DatasetRow, _ reader: StoreReader, _ shapes: TreeShapes) throws {
    func corrupt(_ detail: String) -> StoreError {
      StoreError(
        .corrupt(detail: "the roots of dataset '\(excerpt(row.name))': \(detail)"),
        path: reader.path)
    }
    do {
      try self.init(
        encodedRoots: row.roots, in: row.space, hash: reader.hash, shapes: shapes)
    } catch let error as ByteError {
      throw corrupt("\(error)")
    }
    guard sections.summary.itemCount == items.count, itemKeys.tree.count == items.count,
      sectionKeys.tree.count == sections.count, sections.count <= Limits.sectionsMax,
      data.summary.itemCount <= items.count
    else { throw corrupt("their counts are inconsistent") }
    // Duplicate references to nodes could produce an unbounded number of items.
    guard try items.count <= reader.fileBytes() else {
      throw corrupt("more items than the file has bytes")
    }
  }
}

extension LayoutRow {
  /// Returns the stored configuration, which was validated before it was stored.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  ///
  /// - Parameter kinds: The kinds by whose plans the configuration may be known.
  func decodedConfiguration(
    path: String, kinds: CustomKinds = .none
  ) throws -> LayoutConfiguration {
    try kinds.configuration(ofText: configuration) ?? decoded(configuration, path: path)
  }

  private func decoded(_ text: String, path: String) throws -> LayoutConfiguration {
    do {
      return try ConfigurationText.decode(text)
    } catch let error as ConfigurationError {
      throw StoreError(
        .corrupt(detail: "the configuration of layout '\(excerpt(name))': \(error)"), path: path)
    }
  }

  /// Returns the plan of a stored configuration: the present one, or the result's.
  ///
  /// - Throws: ``LayoutCacheError`` with `configuration` for a kind that this process has not
  ///   registered, or whose rule rejects options that it accepted before; `StoreError` with
  ///   `corrupt`.
  func plan(
    of text: String, _ reader: StoreReader, kinds: CustomKinds
  ) throws -> LayoutPlan {
    do {
      return try kinds.plan(ofText: text) { try decoded(text, path: reader.path) }
    } catch let error as ConfigurationError {
      // The text is intact: the row's checksum was verified.
      throw LayoutCacheError(.configuration(error))
    }
  }

  // A root, as in a dataset's row; then the measured lengths of the layout's header and footer, if
  // any, as SupplementaryLengths.

  /// Returns the tree of laid out sections, and the measured lengths of the layout's header and
  /// footer; `nil` before the first layout.
  ///
  /// - Throws: ``Damage`` for a malformed root.
  func results(
    _ shapes: TreeShapes
  ) throws -> (tree: SumTree<SectionResultLeaf>, measured: SupplementaryLengths)? {
    guard let result else { return nil }
    let results: SumTree<SectionResultLeaf>
    var measured = SupplementaryLengths.none
    do {
      results = try ByteReader.read(result.root, nodeIDs: result.space.nodeIDs) { reader in
        let tree = try SumTree<SectionResultLeaf>(
          shape: shapes.sectionResults, encodedRoot: &reader)
        if !reader.isAtEnd { measured = try SupplementaryLengths(from: &reader) }
        try reader.expectEnd()
        return tree
      }
    } catch let error as ByteError {
      throw Damage(detail: "malformed root: \(error)")
    }
    guard results.count <= Limits.sectionsMax else {
      throw Damage(detail: "it has more sections than a dataset may have")
    }
    return (results, measured)
  }
}

extension SumTree<SectionResultLeaf> {
  /// Returns the encoding of the root in a layout's row.
  ///
  /// - Precondition: The tree is stored.
  func encodedRoot(measured: SupplementaryLengths) -> [UInt8] {
    var writer = ByteWriter()
    encodeRoot(into: &writer)
    if measured != .none { measured.encode(into: &writer) }
    return writer.bytes
  }
}
