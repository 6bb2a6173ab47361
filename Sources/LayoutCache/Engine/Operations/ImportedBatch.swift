import LayoutGeometry
import SumTree
import Synchronization

/// The items of an import, which one batch appends to their sections, or makes the dataset equal
/// to.
///
/// Only one thread at a time resolves it: the importing thread or, while that waits, a thread
/// that processes the dataset's commit queue.
package final class ImportedBatch: @unchecked Sendable {
  private var items: ImportedItems
  private let keys: ImportedKeys?
  private let missing: MissingItems?
  /// The order, or none, that the dataset must have; `nil` for any.
  let order: DatasetOrder??
  private let summaries = Mutex<[Int: ImportSummary]>([:])

  init(_ importer: borrowing Importer) {
    (items, keys) = (importer.items, importer.keys)
    (missing, order) = (importer.missing, importer.order)
  }

  /// Whether the dataset is made equal to the items.
  var isMatch: Bool { missing != nil }

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
    do {
      if let missing {
        resolution = try matched(missing, on: trees, in: session)
      } else if let keys {
        resolution = try upserted(keys, on: trees, in: session)
      } else if !items.sectionKeys.isEmpty {
        resolution = try appended(on: trees, in: session)
      }
    } catch BatchError.limit(let limit, _) {
      throw LayoutCacheError(.limit(limit))
    }
    try resolution.trees.checkCounts()
    var summary = ImportSummary(
      resolution.trees.items.count - trees.items.count, resolution.trees,
      revision: resolution.batch == nil ? revision : revision + 1)
    if isMatch {
      let counts = resolution.batch?.countItems() ?? (0, MatchedItems())
      (summary.importedCount, summary.matched) = counts
    }
    keys?.note(in: &summary)
    summaries.withLock { $0[summary.revision] = summary }
    return resolution
  }

  /// Appends the items to their sections.
  private func appended(
    on trees: DatasetTrees, in session: TreeSession
  ) throws -> Resolution {
    var resolver = OperationResolver(trees, in: session)
    if trees.order?.sections == nil { try resolver.restyle(items) }
    var keys: Set<ExactKey> = []
    var duplicates: Set<ExactKey> = []
    for number in items.sectionKeys.indices {
      // Stated sections are ignored if the dataset derives them.
      let key = trees.order?.sections == nil ? items.sectionKeys[number] : nil
      if let key { try resolver.makeSection(key, style: items.style(ofSection: number)) }
      try items.forEachRun(ofSection: number) { run in
        for index in 0..<run.items.count {
          let key = run.items.key(at: index)
          let isNew = keys.insert(ExactKey(key)).inserted
          if try !isNew || resolver.trees.itemIndex(ofKey: key, in: session) != nil {
            duplicates.insert(ExactKey(key))
          }
        }
        // A batch that will be rejected need not be applied.
        guard duplicates.isEmpty else { return }
        try resolver.append(run.items, toSection: key)
      }
    }
    if !duplicates.isEmpty { throw try items.error(ofDuplicates: duplicates) }
    return Resolution(trees: resolver.trees, batch: resolver.resolved)
  }

  /// Appends the new items and, if requested, updates the existing ones, like a batch of upserts.
  private func upserted(
    _ keys: ImportedKeys, on trees: DatasetTrees, in session: TreeSession
  ) throws -> Resolution {
    var resolver = OperationResolver(trees, in: session)
    if trees.order?.sections == nil { try resolver.restyle(items) }
    for number in items.sectionKeys.indices {
      let key = trees.order?.sections == nil ? items.sectionKeys[number] : nil
      let style = items.style(ofSection: number)
      if let key, !items.hasItems[number] { try resolver.makeSection(key, style: style) }
      try items.forEachRun(ofSection: number) { run in
        let statements = try keys.statements(of: run) {
          try resolver.trees.itemIndex(ofKey: $0, in: session) != nil
        }
        try resolver.upsert(statements, section: key, style: style, moving: false)
      }
    }
    guard let batch = resolver.loggedBatch else { return Resolution(trees: trees) }
    return Resolution(trees: resolver.trees, batch: batch)
  }

  /// Makes the dataset equal to the items.
  private func matched(
    _ missing: MissingItems, on trees: DatasetTrees, in session: TreeSession
  ) throws -> Resolution {
    var resolver = OperationResolver(trees, in: session)
    do {
      try resolver.match(&items, missing: missing)
    } catch BatchError.duplicateKey(let key) {
      throw try items.error(ofDuplicates: [ExactKey(key)])
    }
    return Resolution(trees: resolver.trees, batch: resolver.loggedBatch)
  }
}

extension LoggedBatch {
  /// Counts the items that a resolved match inserts, moves, deletes and changes.
  fileprivate func countItems() -> (inserted: Int, others: MatchedItems) {
    var inserted = 0
    var others = MatchedItems()
    // An item with a new size and new data counts once.
    var changed: Set<ExactKey> = []
    for operation in operations {
      switch operation {
      case .items(let splice) where splice.aspect != .place:
        guard let run = splice.after.run else { continue }
        for index in 0..<run.count { changed.insert(ExactKey(run.key(at: index))) }
      case .items(let splice) where splice.isMove: others.movedCount += splice.after.count
      case .items(let splice):
        inserted += splice.after.count
        others.deletedCount += splice.before.count
      case .sections(let splice):
        if splice.after == nil { others.deletedCount += splice.before?.entry.itemCount ?? 0 }
      case .note: break
      }
    }
    others.changedCount = changed.count
    return (inserted, others)
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
