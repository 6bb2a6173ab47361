import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Imports items into a dataset, all or none: where anything fails, or the process is
  /// killed, nothing is seen of it.
  ///
  ///     try cache.importItems(into: "phones", mode: .create) { importer in
  ///       try importer.add(Item(key: "a", width: 4, height: 3), section: "1997")
  ///     }
  ///
  /// The trees are written in short transactions into a space that nobody sees, and
  /// published in one: neither readers nor other writers wait for long.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: What happens to a dataset of the name.
  ///   - duplicates: What happens to an item whose key is there already. Where that is no
  ///     failure, each key takes a look-up in a temporary file, and an import that comes to
  ///     nothing makes no revision.
  ///   - body: Adds the items. None make an empty dataset.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `limit`, `duplicateKey`,
  ///   `changedMeanwhile` where items were to be added to a dataset that others kept
  ///   changing, `database`; of a node that shares a log `sharedLogIsAway` and
  ///   `outcomeIsUnknown`; and what `body` throws. The dataset is then as before, unless the
  ///   outcome is unknown.
  /// - Complexity: O(n) time for the n items of the dataset afterwards, in constant
  ///   memory beside the keys of the sections. Appending k items to many more than k
  ///   takes O(k log n) time and O(k) memory.
  public func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try call { _ in
      var importer = try beginImport(into: name, mode, duplicates)
      try body(&importer)
      return try finish(&importer, into: name, mode)
    }
  }

  /// What takes the items of an import.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:_:)``.
  func beginImport(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows
  ) throws -> Importer {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Early, and again in the end: the answer may change while the items come in.
      if mode == .create, try isThere(name) {
        throw LayoutCacheError(.datasetExists(name))
      }
    }
    // A list that a dataset is to equal has each key once.
    let takesDuplicates = duplicates != .fail && mode != .match
    return Importer(
      path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2),
      keys: takesDuplicates ? try mappingErrors(path) { try ImportedKeys(duplicates) } : nil,
      missing: mode == .match ? .remove : nil)
  }

  /// Whether there is a dataset of a name where that is decided.
  private func isThere(_ name: String) throws -> Bool {
    try decided {
      try $0.hasDataset(name)
    } here: {
      try store.read { try exists(name, $0) }
    }
  }

  /// Puts the items in place that an importer has taken.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:_:)``.
  func finish(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary {
    try call { _ in
      let log = try decider()
      let attempts = mode == .match ? Budgets.resolutionAttempts : Budgets.importAttempts
      for _ in 0..<attempts {
        let summary =
          if let log {
            try take(&importer, into: name, mode, by: log)
          } else {
            try allOrNothing { try take(&importer, into: name, mode) }
          }
        if let summary { return summary }
      }
      throw LayoutCacheError(.changedMeanwhile(dataset: name))
    }
  }

  /// - Returns: `nil` where the dataset has changed while its trees were built.
  private func take(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary? {
    guard try store.read({ try exists(name, $0) }) else {
      return try build(name, from: &importer, on: .nothing)
    }
    switch mode {
    case .create: throw LayoutCacheError(.datasetExists(name))
    case .replace: return try build(name, from: &importer, on: .replaced)
    case .match:
      if let summary = try match(&importer, name) { return summary.value }
      return try store.read { reader in
        let state = try current(name, reader: reader)
        try state.require(revision: importer.expected)
        return try build(name, from: &importer, on: .kept(state, reader))
      }
    case .append:
      guard let count = try itemCount(of: name) else { return nil }
      if importer.items.sectionKeys.isEmpty {
        return try store.read { reader in
          let state = try current(name, reader: reader)
          return ImportSummary(0, state.trees, revision: state.revision)
        }
      }
      if let batch = importer.asBatch(for: count) { return try append(batch, to: name) }
      // The base's nodes are there as long as it is read.
      return try store.read { reader in
        try build(name, from: &importer, on: .kept(current(name, reader: reader), reader))
      }
    }
  }

  /// Puts items in place as a batch of insertions, or upserts, that the layouts in use follow,
  /// and the others catch up with.
  private func append(_ batch: ImportedBatch, to name: String) throws -> ImportSummary {
    try change(name) { change in
      let session = change.session
      defer { noteLoaded(session) }
      let resolution = try batch.resolve(
        on: change.state.trees, at: change.state.revision, in: session)
      if let logged = resolution.batch {
        change.state.trees = resolution.trees
        _ = try change.commit(logged)
      }
      return batch.summary(at: change.state.revision)
    }
  }

  /// The number of items of a dataset, with what only the log holds; `nil` where there is
  /// none of the name.
  func itemCount(of name: String) throws -> Int? {
    try store.read { reader in
      guard try exists(name, reader) else { return nil }
      let known = openDatasets.known(name).state
      return try current(name, known: known, reader: reader).trees.items.count
    }
  }

  func exists(_ name: String, _ reader: StoreReader) throws -> Bool {
    try reader.dataset(named: name) != nil
  }
}

extension Importer {
  /// What was taken, as a batch; `nil` where that is longer than one may be, or where a dataset
  /// of so many items is better built anew.
  func asBatch(for itemCount: Int) -> ImportedBatch? {
    // An update is logged with what was before.
    let batchBytes = items.batchBytesMax * (keys == nil ? 1 : 4)
    let isSmall =
      items.count < itemCount / Budgets.rebuildRatio && batchBytes <= Limits.batchBytesMax
    return isSmall || items.sectionKeys.isEmpty ? ImportedBatch(items, keys) : nil
  }
}
