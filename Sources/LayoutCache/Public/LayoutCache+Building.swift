import LayoutStore
import SumTree

// Imports that build a dataset anew.

extension LayoutCache {
  /// What a dataset is built on.
  enum Ground {
    /// There is no dataset of the name.
    case nothing
    /// Its items go.
    case replaced
    /// Its items stay, as they are in a state.
    case kept(DatasetState, StoreReader)

    /// How many items stay.
    var itemCount: Int {
      if case .kept(let state, _) = self { state.trees.items.count } else { 0 }
    }
  }

  /// Builds a dataset in a fresh space, and publishes it.
  ///
  /// - Returns: `nil` where the ground is not there any more.
  func build(
    _ name: String, from importer: inout Importer, on ground: Ground
  ) throws -> ImportSummary? {
    let filler = try SpaceFiller(store, now: clock.now)
    let summary: ImportSummary?
    do {
      let built = try trees(from: &importer, on: ground, into: filler)
      if let base = built.unchanged {
        discard(filler.space)
        return built.summary(at: base.revision)
      }
      summary = try publish(built.trees, as: name, in: filler, on: ground)
        .map { built.summary(at: $0.revision) }
    } catch {
      // What went wrong is what counts; the space is given back in time in any case.
      try? giveBack(filler.space)
      throw error
    }
    if summary == nil { discard(filler.space) } else { reclaimAfterCommit() }
    return summary
  }

  /// What was built of an import.
  struct Built {
    var trees: DatasetTrees
    /// The items that were added.
    var addedCount: Int
    /// What it was built on, where it is that still.
    var unchanged: DatasetState?
    fileprivate var keys: ImportedKeys?

    func summary(at revision: Int) -> ImportSummary {
      var summary = ImportSummary(addedCount, trees, revision: revision)
      keys?.note(in: &summary)
      return summary
    }
  }

  /// Builds a dataset's trees in a space that nobody sees.
  ///
  /// - Throws: ``LayoutCacheError`` with `duplicateKey`; `LimitError`; what reading, writing, and
  ///   who watches throw.
  func trees(
    from importer: inout Importer, on ground: Ground, into filler: SpaceFiller
  ) throws -> Built {
    try importer.keys?.begin()
    let trees = try build(&importer, on: ground, into: filler)
    try trees.checkCounts()
    var addedCount = trees.items.count - ground.itemCount
    if case .kept = ground, importer.missing != nil { addedCount = importer.newCount }
    var built = Built(trees: trees, addedCount: addedCount, keys: importer.keys)
    if let keys = importer.keys, case .kept(let base, _) = ground, !keys.hasChangedItems,
      built.addedCount == 0, trees.sections.count == base.trees.sections.count
    {
      built.unchanged = base
    }
    return built
  }

  private func build(
    _ importer: inout Importer, on ground: Ground, into filler: SpaceFiller
  ) throws -> DatasetTrees {
    let keys = importer.keys
    var builder = DatasetBuilder(
      into: filler, PooledNodes(store: store), hash: store.hash, shapes: options.treeShapes,
      sortBytesMax: options.importBytes / 2)
    var kept: Set<Int> = []
    if case .kept(let state, let reader) = ground, let missing = importer.missing {
      let session = passSession(over: state, reader)
      try Self.append(
        matched: &importer, missing: missing, on: state.trees, to: &builder, in: session)
      kept = Set(importer.items.sectionKeys.indices)
    } else if case .kept(let state, let reader) = ground {
      let session = TreeSession(reader, keepsNodes: false)
      if let keys {
        try state.trees.items.forEachLeaf(in: session) { leaf, _ in
          try keys.note(present: leaf)
        }
      }
      kept = try Self.append(state.trees, and: &importer.items, keys, to: &builder, in: session)
    }
    for section in importer.items.sectionKeys.indices where !kept.contains(section) {
      let count = try Self.append(section, of: &importer.items, keys, to: &builder)
      // As with upserts: a section is made for what comes to stand in it.
      if count == 0 && importer.items.hasItems[section] { continue }
      try builder.endSection(
        SectionLeaf.Entry(key: importer.items.sectionKeys[section], itemCount: count))
    }
    do {
      let trees = try builder.finish()
      try importer.items.watch(importer.items.count, importer.items.count)
      return trees
    } catch let error as DuplicateKeysFound {
      guard let duplicate = try importer.items.firstDuplicate(among: error.keys) else {
        throw error
      }
      throw LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
    }
  }

  /// Makes what was built the dataset's items.
  ///
  /// - Returns: Its state; `nil` where the ground is not there any more.
  private func publish(
    _ trees: DatasetTrees, as name: String, in filler: SpaceFiller, on ground: Ground
  ) throws -> DatasetState? {
    switch ground {
    case .nothing:
      return try create(name, trees, in: filler)
    case .replaced:
      guard try store.read({ try exists(name, $0) }) else { return nil }
      return try change(name, isReplaced: true) { change in
        try change.replaceItems(with: trees, in: filler.space, nextNode: filler.next)
        // What is there now comes from no source that has been followed.
        try change.writer.deleteMarks(of: change.state.row.id)
        return change.state
      }
    case .kept(let base, _):
      return try change(name) { change in
        guard change.state.revision == base.revision, change.state.row.id == base.row.id else {
          return nil
        }
        try change.replaceItems(with: trees, in: filler.space, nextNode: filler.next)
        return change.state
      }
    }
  }

  /// Appends the sections that a dataset has, each with the items imported for it.
  ///
  /// - Returns: The numbers of the imported sections that are among them.
  private static func append(
    _ old: DatasetTrees, and imported: inout ImportedItems, _ keys: ImportedKeys?,
    to builder: inout DatasetBuilder, in session: TreeSession
  ) throws -> Set<Int> {
    var known: Set<Int> = []
    var start = 0
    try old.sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        let range = start..<(start + entry.itemCount)
        try old.forEachRun(of: range, in: session) { run in
          try builder.append(keys?.updated(run) ?? run)
        }
        start = range.upperBound
        var grown = entry
        if let section = imported.number(ofSection: entry.key) {
          known.insert(section)
          grown.itemCount += try append(section, of: &imported, keys, to: &builder)
        }
        try builder.endSection(grown)
      }
    }
    return known
  }

  /// Appends the items imported for a section.
  ///
  /// - Returns: How many they are.
  private static func append(
    _ section: Int, of imported: inout ImportedItems, _ keys: ImportedKeys?,
    to builder: inout DatasetBuilder
  ) throws -> Int {
    var count = 0
    let (watch, total) = (imported.watch, imported.count)
    try imported.forEachRun(ofSection: section) { run in
      let items = try keys?.newItems(of: run) ?? run.items
      try builder.append(items)
      count += items.count
      try watch(min(builder.itemCount, total), total)
    }
    return count
  }
}
