import LayoutGeometry
package import LayoutStore

// Changes of the list of datasets, and of templates.

extension LayoutCache {
  /// Commits a change of the list of datasets.
  ///
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `noSuchDataset`, `limit`, `countLimit`,
  ///   `database`.
  func commit(_ change: CatalogChange) throws {
    try call { _ in
      switch change {
      case .create(let name), .rename(_, let name, _):
        try Limits.check(name: name, as: "dataset name")
      case .remove, .setTemplate, .removeTemplate: break
      }
      if let coordinator = try coordinator() {
        if case .create(let name) = change { try requireRoom(for: name) }
        return try coordinator.commit(change)
      }
      try allOrNothing { try apply(change) }
      if case .remove = change { reclaimAfterCommit() }
    }
  }

  /// Applies a change of the list of datasets to the file.
  func apply(_ change: CatalogChange) throws {
    switch change {
    case .create(let name):
      let trees = DatasetTrees(hash: store.hash, shapes: options.treeShapes)
      if try create(name, trees, in: nil) == nil { throw LayoutCacheError(.datasetExists(name)) }
    case .remove(let name, let expected):
      try store.write { writer in
        try writer.delete(writer.reader.requireDataset(name, at: expected))
      } didCommit: {
        drop(name)
      }
    case .rename(let name, let other, let expected):
      try store.write { writer in
        var row = try writer.reader.requireDataset(name, at: expected)
        if ExactKey(name) == ExactKey(other) { return }
        if try writer.reader.dataset(named: other) != nil {
          throw LayoutCacheError(.datasetExists(other))
        }
        row.name = other
        try writer.put(row)
      } didCommit: {
        drop(name)
      }
    case .setTemplate, .removeTemplate:
      try changeTemplates { writer in
        var rows = try writer.reader.templates(after: nil, limit: .max)
        let number = try writer.reader.lastDefinition(in: 0) + 1
        try rows.apply(change, numbered: number)
        try writer.putTemplates(rows, numbered: number)
      }
    }
  }

  /// Stores the templates of a shared log.
  package func putTemplates(_ rows: [TemplateRow], numbered number: Int) throws {
    try call { _ in
      let isStored = try store.read { reader in
        try reader.lastDefinition(in: 0) == number
          && Set(reader.templates(after: nil, limit: .max)) == Set(rows)
      }
      if !isStored { try changeTemplates { try $0.putTemplates(rows, numbered: number) } }
    }
  }

  private func changeTemplates(_ body: (StoreWriter) throws -> Void) throws {
    try store.write(
      body,
      didCommit: {
        // Snapshots in memory are answers as long as nothing else changes.
        openDatasets.forgetAll()
        variants.forgetNames()
        following.didChangeTemplates()
      })
  }

  /// Checks that the file can have another dataset.
  ///
  /// - Throws: ``LayoutCacheError`` with `countLimit`.
  /// - Complexity: O(1).
  func requireRoomForDataset(_ reader: StoreReader) throws {
    try LayoutCacheError.check(
      count: try reader.datasetCount() + 1, max: options.datasetsMax, as: "number of datasets")
  }

  /// Checks that the file can have a dataset that the shared log is about to create; see
  /// ``requireRoomForDataset(_:)``.
  func requireRoom(for dataset: String) throws {
    try store.read { reader in
      if try !exists(dataset, reader) { try requireRoomForDataset(reader) }
    }
  }

  /// Creates a dataset.
  ///
  /// - Parameters:
  ///   - trees: The dataset's items.
  ///   - filler: The storage of the items; `nil` if there are none.
  /// - Returns: The dataset's state; `nil` if the name is taken.
  func create(
    _ name: String, _ trees: DatasetTrees, in filler: SpaceFiller?
  ) throws -> DatasetState? {
    try store.write { writer in
      if try writer.reader.dataset(named: name) != nil { return nil }
      try requireRoomForDataset(writer.reader)
      if let filler { try writer.keep(filler.space) }
      let row = try writer.newDataset(
        name, in: filler, incarnation: store.options.random.incarnation())
      return try put(row, trees, at: clock.now(), by: Self.caller, writer)
    }
  }

  /// Stores a new dataset with initial items, at revision 1.
  ///
  /// - Returns: The dataset's state.
  @discardableResult
  func put(
    _ row: DatasetRow, _ trees: DatasetTrees, at now: Int64, by who: String = "",
    _ writer: StoreWriter
  ) throws -> DatasetState {
    var state = DatasetState(
      row: row, head: LogHead(dataset: row.id, revision: 0, time: now, total: .none),
      trees: trees, shapes: options.treeShapes)
    try state.begin(writer, at: now, by: who)
    return state
  }
}

extension StoreReader {
  /// Returns a dataset, which must be at the expected revision, if any.
  ///
  /// - Throws: ``LayoutCacheError``: `noSuchDataset`, `revisionMismatch`.
  fileprivate func requireDataset(_ name: String, at expected: Int?) throws -> DatasetRow {
    let row = try requireDataset(name)
    if let expected { try row.require(expected, at: logHead(of: row.id).revision) }
    return row
  }
}

extension StoreWriter {
  /// Returns the row of a new dataset before its first revision, which is not stored yet.
  ///
  /// - Parameter filler: The storage of its items; `nil` if there are none.
  func newDataset(
    _ name: String, in filler: SpaceFiller?, incarnation: HistoryNumber
  ) throws -> DatasetRow {
    DatasetRow(
      id: try freshDatasetID(), name: name, space: try filler?.space ?? makeSpace(),
      nextNode: filler?.next ?? 1, revision: 0, sectionCount: 0, itemCount: 0, roots: [],
      incarnation: incarnation)
  }
}

extension [TemplateRow] {
  /// Applies a change of templates.
  ///
  /// - Parameter number: The number of the change, which a new definition gets.
  /// - Throws: ``LayoutCacheError``: `concurrentModification` if the template has another definition
  ///   than the caller has seen, `templateExists`, `countLimit`.
  package mutating func apply(_ change: CatalogChange, numbered number: Int) throws {
    switch change {
    case .setTemplate(var row, let replaced):
      try remove(row.name, at: replaced)
      let other = first { $0.layout.isExactly(row.layout) && $0.datasets.isExactly(row.datasets) }
      if let other { throw LayoutCacheError(.templateExists(other.name)) }
      row.number = number
      append(row)
      try LayoutCacheError.check(count: count, max: Budgets.templates, as: "number of templates")
      try LayoutCacheError.check(
        count: reduce(0) { $0 + $1.configuration.utf8.count }, max: Budgets.templateBytes,
        as: "bytes of all templates")
    case .removeTemplate(let name, let present): try remove(name, at: present)
    case .create, .remove, .rename: preconditionFailure("it is no change of templates")
    }
  }

  private mutating func remove(_ name: String, at number: Int?) throws {
    let index = firstIndex { $0.name.isExactly(name) }
    guard index.map({ self[$0].number }) == number else {
      throw LayoutCacheError(.concurrentModification(dataset: name))
    }
    if let index { remove(at: index) }
  }
}
