import LayoutGeometry
import SumTree
import Synchronization

/// The items of an import, which one batch appends to their sections.
///
/// Only one thread at a time resolves it: the importing thread or, while that waits, a thread
/// that processes the dataset's commit queue.
package final class ImportedBatch: @unchecked Sendable {
  private var items: ImportedItems
  private let keys: ImportedKeys?
  private let summaries = Mutex<[Int: ImportSummary]>([:])

  /// - Parameter keys: The keys of the import; `nil` if duplicate keys are errors.
  init(_ items: ImportedItems, _ keys: ImportedKeys?) {
    (self.items, self.keys) = (items, keys)
  }

  /// The result of resolving the import on a dataset.
  struct Resolution {
    /// The dataset after the batch.
    var trees: DatasetTrees
    /// The batch; `nil` if it creates no revision.
    var batch: LoggedBatch?
  }

  /// Returns the import's summary, for the resulting revision.
  ///
  /// - Precondition: The import was resolved for that revision.
  func summary(at revision: Int) -> ImportSummary {
    guard let summary = summaries.withLock({ $0[revision] }) else {
      preconditionFailure("a committed batch is resolved")
    }
    return summary
  }

  /// Resolves the import on a dataset. May be called again for another state of the dataset.
  ///
  /// - Throws: ``LayoutCacheError`` with `duplicateKey`; `LimitError`; read errors.
  func resolve(
    on trees: DatasetTrees, at revision: Int, in session: TreeSession
  ) throws -> Resolution {
    try keys?.begin()
    var resolution = Resolution(trees: trees)
    if let keys {
      resolution = try upserted(keys, on: trees, in: session)
    } else if !items.sectionKeys.isEmpty {
      resolution = try appended(on: trees, in: session)
    }
    try resolution.trees.checkCounts()
    var summary = ImportSummary(
      resolution.trees.items.count - trees.items.count, resolution.trees,
      revision: resolution.batch == nil ? revision : revision + 1)
    keys?.note(in: &summary)
    summaries.withLock { $0[summary.revision] = summary }
    return resolution
  }

  /// Appends the items to their sections.
  private func appended(
    on trees: DatasetTrees, in session: TreeSession
  ) throws -> Resolution {
    var trees = trees
    var batch = LoggedBatch(operations: [])
    var keys: Set<ExactKey> = []
    var duplicates: Set<ExactKey> = []
    func take(_ operation: ResolvedOperation) throws {
      try trees.apply(operation, in: session)
      batch.operations.append(operation)
    }
    if !items.styles.isEmpty {
      var resolver = OperationResolver(trees, in: session)
      try resolver.restyle(items)
      (trees, batch.operations) = (resolver.trees, resolver.resolved)
    }
    for number in items.sectionKeys.indices {
      let key = items.sectionKeys[number]
      let known = try trees.sectionIndex(ofKey: key, in: session)
      let section = SectionReference(index: known ?? trees.sections.count, key: key)
      if known == nil {
        try take(.insertSection(section, style: items.style(ofSection: number)))
      }
      try items.forEachRun(ofSection: number) { run in
        for index in 0..<run.items.count {
          let key = run.items.key(at: index)
          let isNew = keys.insert(ExactKey(key)).inserted
          if try !isNew || trees.itemIndex(ofKey: key, in: session) != nil {
            duplicates.insert(ExactKey(key))
          }
        }
        // A batch that will be rejected need not be applied.
        guard duplicates.isEmpty else { return }
        let end = try trees.items(ofSection: section.index, in: session).count
        try take(.insertItems(run.items, index: end, section: section))
      }
    }
    if let duplicate = try items.firstDuplicate(among: duplicates) {
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
    return Resolution(trees: trees, batch: batch)
  }

  /// Appends the new items and, if requested, updates the existing ones, like a batch of upserts.
  private func upserted(
    _ keys: ImportedKeys, on trees: DatasetTrees, in session: TreeSession
  ) throws -> Resolution {
    var resolver = OperationResolver(trees, in: session)
    try resolver.restyle(items)
    for number in items.sectionKeys.indices {
      let key = items.sectionKeys[number]
      let style = items.style(ofSection: number)
      if !items.hasItems[number] { try resolver.makeSection(key, style: style) }
      try items.forEachRun(ofSection: number) { run in
        let statements = try keys.statements(of: run) {
          try resolver.trees.itemIndex(ofKey: $0, in: session) != nil
        }
        try resolver.upsert(statements, section: key, style: style, moving: false)
      }
    }
    guard resolver.makesRevision else { return Resolution(trees: trees) }
    return Resolution(
      trees: resolver.trees, batch: LoggedBatch(operations: resolver.resolved))
  }
}

extension DatasetTrees {
  /// Checks a dataset against the limits: the import is within them, but its total with the
  /// present items may not be.
  ///
  /// - Throws: `LimitError`.
  func checkCounts() throws {
    try Limits.check(sections.count, in: 0...Limits.sectionsMax, as: "sections")
    try Limits.check(items.count, in: 0...Limits.itemsMax, as: "items")
  }
}

extension ImportSummary {
  init(_ importedCount: Int, _ trees: DatasetTrees, revision: Int) {
    self.init(
      importedCount: importedCount, itemCount: trees.items.count,
      sectionCount: trees.sections.count, revision: revision)
  }
}
