public import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout of a dataset.
public struct LayoutDescription: Hashable, Sendable {
  public var name: String
  public var configuration: LayoutConfiguration
  /// The dataset's revision that the layout was last brought up to date with;
  /// `nil` before the first time.
  public var preparedRevision: Int?
}

extension LayoutCache {
  /// Attaches a layout to a dataset, or changes the configuration of the layout
  /// that has the name.
  ///
  /// Nothing is laid out: the first query does that, or ``prepare(layout:of:)``.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `limit`, `configuration`,
  ///   `database`.
  public func setLayout(
    _ name: String, of dataset: String, to configuration: LayoutConfiguration
  ) throws {
    try classified(path) {
      try Limits.check(name: name, as: "layout name")
      _ = try LayoutPlan(configuration)
      let text = try ConfigurationText.encode(configuration)
      try store.write { writer in
        let dataset = try writer.reader.requireDataset(dataset)
        let existing = try writer.reader.layout(named: name, of: dataset.id)
        if let existing, existing.configuration == text { return }
        // The nodes of the old result are of no more use.
        if let result = existing?.result { try writer.deleteNodes(in: result.space) }
        try writer.put(
          LayoutRow(
            id: try existing?.id ?? writer.freshLayoutID(), dataset: dataset.id, name: name,
            configuration: text, result: nil))
      }
    }
  }

  /// The layouts of a dataset by name.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  public func layouts(of dataset: String) throws -> [LayoutDescription] {
    try classified(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(dataset)
        return try reader.layouts(of: dataset.id).map { try LayoutDescription($0, path: path) }
      }
    }
  }

  /// One layout of a dataset.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `database`.
  public func layout(_ name: String, of dataset: String) throws -> LayoutDescription {
    try classified(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(dataset)
        return try LayoutDescription(reader.requireLayout(name, of: dataset), path: path)
      }
    }
  }

  /// Removes a layout and its results.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `database`.
  public func removeLayout(_ name: String, of dataset: String) throws {
    try classified(path) {
      try store.write { writer in
        let dataset = try writer.reader.requireDataset(dataset)
        try writer.delete(writer.reader.requireLayout(name, of: dataset))
      }
    }
  }

  /// Brings a layout up to date with its dataset.
  ///
  /// - Returns: The dataset's revision, and whether there was anything to do.
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `cannotLayOut`
  ///   where the content would become too long, `database`.
  /// - Complexity: O(items) where the dataset has changed, in constant memory.
  @discardableResult
  public func prepare(
    layout name: String, of dataset: String
  ) throws -> (revision: Int, didLayOut: Bool) {
    try classified(path) {
      try prepare(layout: name, of: dataset, discardingSpace: nil)
    }
  }

  /// As ``prepare(layout:of:)``; lays out anew what stands in a damaged space.
  func prepare(
    layout name: String, of dataset: String, discardingSpace damaged: NodeSpace?
  ) throws -> (revision: Int, didLayOut: Bool) {
    try store.write { writer in
      let dataset = try writer.reader.requireDataset(dataset)
      var row = try writer.reader.requireLayout(name, of: dataset)
      if let result = row.result, result.revision == dataset.revision,
        result.space != damaged
      {
        return (dataset.revision, false)
      }
      let plan = try row.plan(path: path)
      let space = try writer.makeSpace()
      let sink = writer.nodeSink(in: space, next: 1)
      let trees = try DatasetTrees(dataset, hash: store.hash, path: store.path)
      let builder = LayoutBuilder(
        plan: plan, reader: TreeReader(writer.reader, keepsNodes: false), sink: sink)
      let results: SumTree<SectionResultLeaf>
      do {
        results = try builder.layOut(trees)
      } catch let limit as LimitError {
        throw LayoutCacheError(.cannotLayOut(name, dataset: dataset.name, limit))
      }
      if let old = row.result { try writer.deleteNodes(in: old.space) }
      var root = ByteWriter()
      DatasetTrees.encode(results, into: &root)
      row.result = LayoutRow.Result(
        space: space, nextNode: sink.next, revision: dataset.revision, root: root.bytes)
      try writer.put(row)
      return (dataset.revision, true)
    }
  }
}

extension LayoutDescription {
  init(_ row: LayoutRow, path: String) throws {
    self.init(
      name: row.name, configuration: try row.decodedConfiguration(path: path),
      preparedRevision: row.result?.revision)
  }
}
