import LayoutGeometry
import LayoutStore
import SumTree

extension LayoutCache {
  /// Imports items into a dataset atomically: if anything fails, or the process is killed, the
  /// dataset is unchanged.
  ///
  ///     try cache.importItems(into: "phones", mode: .create) { importer in
  ///       try importer.add(Item(key: "a", width: 4, height: 3), section: "1997")
  ///     }
  ///
  /// The trees are written in short transactions into an unpublished space, and published in
  /// one transaction: neither readers nor other writers wait for long.
  ///
  /// - Parameters:
  ///   - name: The dataset's name.
  ///   - mode: How to handle an existing dataset with the name.
  ///   - duplicates: How to handle an item whose key already exists; for a match, in an earlier
  ///     item, and never `update`. Except with `fail`, each key costs a look-up in a temporary
  ///     file, and an import that changes nothing adds no revision.
  ///   - missing: How a match handles items and sections missing from the import; ignored in
  ///     other modes.
  ///   - order: The order of the dataset, whose items are sorted; `nil` for its present one, or of
  ///     a new dataset none. Sections of items are ignored if the order derives them.
  ///   - body: Adds the items. Without items the dataset is empty.
  /// - Throws: ``LayoutCacheError``: `datasetExists`, `noSuchDataset`, `limit`, `duplicateKey`,
  ///   `concurrentModification` if other commits kept changing the dataset that items were added
  ///   to, `database`; on a node with a shared log `sharedLogUnavailable` and `outcomeUnknown`; and
  ///   errors from `body`. The dataset is then unchanged, unless the outcome is unknown.
  /// - Complexity: O(n) time for the n items of the resulting dataset, in constant memory in
  ///   addition to the section keys. Appending k items to a much larger dataset takes O(k log
  ///   n) time and O(k) memory.
  public func importItems(
    into name: String, mode: ImportMode, onDuplicate duplicates: DuplicateRows = .fail,
    missing: MissingItems = .remove, order: DatasetOrder? = nil,
    _ body: (inout Importer) throws -> Void
  ) throws -> ImportSummary {
    try call { _ in
      var importer = try beginImport(into: name, mode, duplicates, missing)
      if let order { try importer.sort(by: order) }
      try body(&importer)
      return try finish(&importer, into: name, mode)
    }
  }

  /// Begins an import, and returns its importer.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:order:_:)``.
  func beginImport(
    into name: String, _ mode: ImportMode, _ duplicates: DuplicateRows, _ missing: MissingItems
  ) throws -> Importer {
    try call { _ in
      try Limits.check(name: name, as: "dataset name")
      // Checked early, and again at the end: the result may change while items are added.
      switch mode {
      case .create: if try isThere(name) { throw LayoutCacheError(.datasetExists(name)) }
      case .append: if try !isThere(name) { throw LayoutCacheError(.noSuchDataset(name)) }
      case .replace, .match: break
      }
    }
    // The list of a match contains each key once.
    let takesDuplicates = duplicates == .skip || duplicates == .update && mode != .match
    return Importer(
      path: path, items: ImportedItems(memoryBytesMax: options.importBytes / 2),
      keys: takesDuplicates ? try mappingErrors(path) { try ImportedKeys(duplicates) } : nil,
      missing: mode == .match ? missing : nil)
  }

  /// Whether a dataset exists, in the shared log if the cache follows one.
  private func isThere(_ name: String) throws -> Bool {
    if let coordinator = try coordinator() { return try coordinator.hasDataset(name) }
    return try store.read { try exists(name, $0) }
  }

  /// Commits the items that an importer has read.
  ///
  /// - Throws: As ``importItems(into:mode:onDuplicate:missing:order:_:)``.
  func finish(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary {
    try call { _ in
      let attempts = mode == .match ? Budgets.resolutionAttempts : Budgets.importAttempts
      for _ in 0..<attempts {
        if let summary = try take(&importer, into: name, mode) { return summary }
      }
      throw LayoutCacheError(.concurrentModification(dataset: name))
    }
  }

  /// - Returns: `nil` if the dataset changed while its trees were built.
  private func take(
    _ importer: inout Importer, into name: String, _ mode: ImportMode
  ) throws -> ImportSummary? {
    guard try isThere(name) else {
      if mode == .append { throw LayoutCacheError(.noSuchDataset(name)) }
      return try build(name, from: &importer, .none)
    }
    do {
      try coordinator()?.catchUp(with: name)
      switch mode {
      case .create: throw LayoutCacheError(.datasetExists(name))
      case .replace: return try build(name, from: &importer, .replaced)
      case .match:
        guard let present = try present(name) else { return nil }
        if !importer.sorts(present), let summary = try match(&importer, name) { return summary }
      case .append:
        guard let present = try present(name) else { return nil }
        if !importer.sorts(present), let batch = importer.asBatch(for: present.items.count) {
          let request = ChangeRequest(.append(batch), expected: importer.expected)
          return batch.summary(at: try commit(request, to: name).revision)
        }
      }
      return try build(name, from: &importer, .kept)
    } catch let error as LayoutCacheError {
      switch error.code {
      // The caller stated the expected revision.
      case .revisionMismatch where importer.expected != nil: throw error
      // The dataset was removed or replaced in the meantime.
      case .noSuchDataset, .concurrentModification, .revisionMismatch: return nil
      default: throw error
      }
    }
  }

  /// Returns the contents of a dataset, including changes that are only in the log; `nil` if the
  /// dataset does not exist.
  func present(_ name: String) throws -> DatasetTrees? {
    do {
      return try reading(name) { state, _ in state.trees }
    } catch let error as LayoutCacheError {
      guard case .noSuchDataset = error.code else { throw error }
      return nil
    }
  }

  func exists(_ name: String, _ reader: StoreReader) throws -> Bool {
    try reader.dataset(named: name) != nil
  }
}

extension Importer {
  /// Whether the import gives a dataset another order.
  fileprivate func sorts(_ dataset: DatasetTrees) -> Bool {
    order.map { $0 != dataset.order } ?? false
  }

  /// Returns the accepted items as a batch; `nil` if the batch would exceed the size limit, or
  /// if rebuilding the dataset costs less.
  func asBatch(for itemCount: Int) -> ImportedBatch? {
    // A logged update contains the previous values.
    let batchBytes = items.batchBytesMax * (keys == nil ? 1 : 4)
    let isSmall =
      items.count < itemCount / Budgets.rebuildRatio && batchBytes <= Limits.batchBytesMax
    return isSmall || items.sectionKeys.isEmpty ? ImportedBatch(self) : nil
  }
}
