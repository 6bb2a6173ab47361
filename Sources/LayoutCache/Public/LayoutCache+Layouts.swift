public import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout of a dataset.
public struct LayoutDescription: Hashable, Sendable {
  public var name: String
  public var configuration: LayoutConfiguration
  /// The dataset's revision that the layout was last brought up to date with;
  /// `nil` before the first time with the configuration.
  public var preparedRevision: Int?
}

extension LayoutCache {
  /// Attaches a layout to a dataset, or changes the configuration of the layout
  /// that has the name.
  ///
  /// Nothing is laid out: the first query does that, or ``prepare(_:)``. Until
  /// then the result of the configuration before stays readable; see ``Freshness``.
  /// Going back to that configuration costs nothing.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `limit`, `configuration`,
  ///   `database`.
  public func setLayout(_ layout: LayoutID, to configuration: LayoutConfiguration) throws {
    try call { _ in
      try Limits.check(name: layout.layout, as: "layout name")
      _ = try LayoutPlan(configuration, custom: customKinds)
      let text = try ConfigurationText.encode(configuration)
      // Members that the kind does not read have no limits: one that can't be read again would
      // damage the layout.
      _ = try ConfigurationText.decode(text)
      try decided { log in
        let work = SharedChange.Work.setLayout(
          layout.layout, configuration, freshID: try log.freshLayoutID())
        _ = try log.commit(SharedChange(work), to: layout.dataset, BatchView())
      } here: {
        try change(layout.dataset) { change in
          let (writer, dataset) = (change.writer, change.state.row.id)
          if var row = try writer.reader.layout(named: layout.layout, of: dataset) {
            if row.configuration == text { return }
            row.configuration = text
            // In use it is as its result stands, of whatever configuration.
            change.state.layouts[row.id]?.row.configuration = text
            return try writer.put(row)
          }
          try writer.put(
            LayoutRow(
              id: try writer.freshLayoutID(), dataset: dataset, name: layout.layout,
              configuration: text, result: nil))
        }
      }
    }
  }

  /// The layouts of a dataset by name.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  public func layouts(of dataset: String) throws -> [LayoutDescription] {
    try mappingErrors(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(dataset)
        return try reader.layouts(of: dataset.id).map { try LayoutDescription($0, path: path) }
      }
    }
  }

  /// One layout of a dataset.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `database`.
  public func layout(_ layout: LayoutID) throws -> LayoutDescription {
    try mappingErrors(path) {
      try store.read { reader in
        let dataset = try reader.requireDataset(layout.dataset)
        return try LayoutDescription(reader.requireLayout(layout.layout, of: dataset), path: path)
      }
    }
  }

  /// Removes a layout and its results.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `database`.
  public func removeLayout(_ layout: LayoutID) throws {
    try call { _ in
      try decided { log in
        let change = SharedChange(.removeLayout(layout.layout))
        _ = try log.commit(change, to: layout.dataset, BatchView())
      } here: {
        try change(layout.dataset) { change in
          let row = try change.writer.reader.requireLayout(layout.layout, of: change.state.row)
          change.state.layouts[row.id] = nil
          try change.writer.delete(row)
        }
      }
      try reclaim()
    }
  }

  /// Gives a layout another name; its result stays.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchLayout`, `layoutExists`,
  ///   `limit`, `database`.
  public func renameLayout(_ layout: LayoutID, to name: String) throws {
    try call { _ in
      try Limits.check(name: name, as: "layout name")
      try decided { log in
        let change = SharedChange(.renameLayout(layout.layout, to: name))
        _ = try log.commit(change, to: layout.dataset, BatchView())
      } here: {
        try change(layout.dataset) { change in
          let (reader, dataset) = (change.writer.reader, change.state.row)
          var row = try reader.requireLayout(layout.layout, of: dataset)
          if ExactKey(name) == ExactKey(row.name) { return }
          if try reader.layout(named: name, of: dataset.id) != nil {
            throw LayoutCacheError(.layoutExists(LayoutID(name, of: dataset.name)))
          }
          row.name = name
          change.state.layouts[row.id]?.row.name = name
          try change.writer.put(row)
        }
      }
    }
  }
}

extension LayoutDescription {
  init(_ row: LayoutRow, path: String) throws {
    self.init(
      name: row.name, configuration: try row.decodedConfiguration(path: path),
      preparedRevision: row.preparedRevision)
  }
}
