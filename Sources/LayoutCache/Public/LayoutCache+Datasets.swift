import LayoutStore
import SumTree

/// A dataset as a listing shows it.
public struct DatasetDescription: Hashable, Sendable {
  public var name: String
  public var revision: Int
  public var sectionCount: Int
  public var itemCount: Int
  /// The names of the dataset's layouts.
  public var layouts: [String]
}

/// A section as a listing shows it.
public struct SectionDescription: Hashable, Sendable {
  public var key: String
  /// The number of the section's first item, counted from the dataset's.
  public var firstItem: Int
  public var itemCount: Int
}

extension LayoutCache {
  /// The datasets by name.
  public func datasets() throws -> [DatasetDescription] {
    try mappingErrors(path) {
      try store.read { reader in
        try reader.datasetIDs().map { id in
          let row = try reader.dataset(id: id)
          let layouts = try reader.layouts(of: id).map(\.name)
          // Most datasets have nothing in the log that the row does not count.
          if try reader.lastLoggedRevision(of: id) ?? 0 <= row.revision {
            return DatasetDescription(
              name: row.name, revision: row.revision, sectionCount: row.sectionCount,
              itemCount: row.itemCount, layouts: layouts)
          }
          let state = try current(row.name, reader: reader)
          return DatasetDescription(
            name: row.name, revision: state.revision, sectionCount: state.trees.sections.count,
            itemCount: state.trees.items.count, layouts: layouts)
        }
      }
    }
  }

  /// Calls `body` with each section of a dataset in order, all of one revision.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; what `body` throws.
  /// - Complexity: O(sections) in constant memory.
  public func forEachSection(
    of dataset: String, _ body: (SectionDescription) throws -> Void
  ) throws {
    try mappingErrors(path) {
      try store.read { reader in
        let trees = try current(dataset, reader: reader).trees
        var firstItem = 0
        try trees.sections.forEachLeaf(in: TreeSession(reader, keepsNodes: false)) {
          leaf, _ in
          for entry in leaf.entries {
            try body(
              SectionDescription(
                key: entry.key, firstItem: firstItem, itemCount: entry.itemCount))
            firstItem += entry.itemCount
          }
        }
      }
    }
  }

  /// Calls `body` with each item of a dataset in order, all of one revision.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`; what `body` throws.
  /// - Complexity: O(items) in constant memory.
  public func forEachItem(
    of dataset: String, _ body: (_ section: String, _ item: Item) throws -> Void
  ) throws {
    try mappingErrors(path) {
      try store.read { reader in
        let trees = try current(dataset, reader: reader).trees
        let session = TreeSession(reader, keepsNodes: false)
        var firstItem = 0
        try trees.sections.forEachLeaf(in: session) { leaf, _ in
          for entry in leaf.entries {
            let range = firstItem..<(firstItem + entry.itemCount)
            try trees.items.forEachRun(of: range, in: session) { run in
              for index in 0..<run.count { try body(entry.key, run.item(at: index)) }
            }
            firstItem = range.upperBound
          }
        }
      }
    }
  }

  /// The state of a dataset as one committed state of the file has it.
  ///
  /// Not shared with queries: whoever reads all of it keeps none of it.
  func current(_ dataset: String, reader: StoreReader) throws -> DatasetState {
    try current(dataset, known: nil, reader: reader)
  }

  /// As ``current(_:reader:)``, going on from an earlier state.
  func current(
    _ dataset: String, known: DatasetState?, reader: StoreReader
  ) throws -> DatasetState {
    try DatasetState.current(
      dataset, known: known, reader: reader, kinds: customKinds, shapes: options.treeShapes)
  }
}
