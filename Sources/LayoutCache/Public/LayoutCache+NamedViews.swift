import LayoutGeometry
import LayoutStore

extension LayoutCache {
  /// Gives a name to a view of a dataset, or changes the view of that name. It makes no revision.
  ///
  /// A dataset has at most 64. Readers of the name get the new view from then on.
  ///
  /// - Returns: Whether the name is new.
  /// - Throws: ``LayoutCacheError``, and nothing is changed: `noSuchDataset`, `limit`, `countLimit`,
  ///   `database`.
  /// - Complexity: O(views of the dataset); no item is read.
  @discardableResult
  public func setView(_ name: String, of dataset: String, to view: DatasetView) throws -> Bool {
    try call { _ in
      try Limits.check(name: name, as: "view name")
      return try commit(ChangeRequest(.setView(name, view.encoded)), to: dataset).applied.isNew
    }
  }

  /// Removes a named view. Its items stay.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchView`, `database`.
  public func removeView(_ name: String, of dataset: String) throws {
    _ = try call { _ in try commit(ChangeRequest(.setView(name, nil)), to: dataset) }
  }

  /// Returns the view with a name.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `noSuchView`, `database`.
  public func view(_ name: String, of dataset: String) throws -> DatasetView {
    try mappingErrors(path) {
      try store.read { reader in
        let row = try reader.requireDataset(dataset)
        if let digest = try reader.keys(ofView: name, of: row.id), digest != 0,
          let list = temporary.list(with: digest, of: row.incarnation)
        {
          return DatasetView(of: list)
        }
        guard let row = try reader.view(named: name, of: row.id) else {
          throw LayoutCacheError(.noSuchView(name, dataset: dataset))
        }
        return try DatasetView(row, path: path)
      }
    }
  }

  /// Returns the named views of a dataset, in the order of their names' UTF-8 bytes.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `database`.
  public func views(of dataset: String) throws -> [(name: String, view: DatasetView)] {
    try mappingErrors(path) {
      try store.read { reader in
        try reader.views(of: reader.requireDataset(dataset).id).map {
          ($0.name, try DatasetView($0, path: path))
        }
      }
    }
  }
}

extension ViewRow {
  init(_ name: String, of dataset: Int64, _ view: DatasetView) {
    self.init(name, of: dataset, keys: view.list?.digest ?? 0, definition: view.encoded)
  }
}

extension DatasetView {
  /// - Throws: `StoreError` for a malformed definition.
  init(_ row: ViewRow, path: String) throws {
    do {
      self = try DatasetView(encoded: row.definition)
    } catch {
      throw StoreError(.corrupt(detail: "view \(row.name): \(error)"), path: path)
    }
  }
}
