import LayoutGeometry
import LayoutStore
import SumTree

// Imports that build a dataset from scratch.

/// The effect of an import on the items of its dataset.
enum PresentItems {
  /// There is no dataset of the name.
  case none
  case replaced
  case kept
}

extension LayoutCache {
  /// The state on which a dataset is built.
  enum ImportBase {
    /// There is no dataset of the name.
    case nothing
    /// The present items are removed; the dataset's order stays, unless the import states one.
    case replaced(DatasetOrder?)
    /// The present items stay, as they are in the state.
    case kept(DatasetState)

    var order: DatasetOrder? {
      switch self {
      case .nothing: nil
      case .replaced(let order): order
      case .kept(let state): state.trees.order
      }
    }

    /// The number of present items that stay.
    var itemCount: Int { if case .kept(let state) = self { state.trees.items.count } else { 0 } }
  }

  /// Builds a dataset and commits it.
  ///
  /// - Returns: `nil` if the dataset has changed in the meantime.
  func build(
    _ name: String, from importer: inout Importer, _ present: PresentItems
  ) throws -> ImportSummary? {
    if let coordinator = try coordinator() {
      return try build(name, from: &importer, present, by: coordinator)
    }
    return try allOrNothing { () -> ImportSummary? in
      switch present {
      case .none: return try build(name, from: &importer, on: .nothing)
      case .replaced:
        return try build(name, from: &importer, on: .replaced(self.present(name)?.order))
      case .kept:
        let base = try store.read { try importBase(name, of: importer, $0) }
        return try whileCurrent(base) { try build(name, from: &importer, on: .kept(base)) }
      }
    }
  }

  /// Runs `body`, which reads the nodes of a state outside any transaction.
  ///
  /// - Returns: `nil` if a checkpoint has deleted some of the nodes.
  func whileCurrent<R>(_ state: DatasetState, _ body: () throws -> R?) throws -> R? {
    do {
      return try body()
    } catch {
      guard Damage(error) != nil,
        try store.read({ try $0.dataset(named: state.row.name) })?
          .isSameCheckpoint(as: state.row) != true
      else { throw error }
      return nil
    }
  }

  func importBase(
    _ name: String, of importer: borrowing Importer, _ reader: StoreReader
  ) throws -> DatasetState {
    let state = try current(name, reader: reader)
    try state.row.require(importer.expected, at: state.revision)
    return state
  }

  /// Builds a dataset in a new space and publishes it in the file.
  ///
  /// - Returns: `nil` if the base no longer exists.
  private func build(
    _ name: String, from importer: inout Importer, on base: ImportBase
  ) throws -> ImportSummary? {
    let filler = try SpaceFiller(store, now: clock.now)
    var spaces = [filler.space]
    let summary: ImportSummary?
    do {
      let built = try trees(from: &importer, on: base, into: filler)
      if let base = built.unchanged {
        discard(filler.space)
        return built.summary(at: base.revision)
      }
      let isExtended = importer.missing == nil && built.trees.order == nil
      let extended = try isExtended ? layouts(on: base, extendedTo: built.trees) : []
      spaces += extended.compactMap(\.ownSpace)
      summary = try publish(built.trees, as: name, in: filler, on: base, extended)
        .map { built.summary(at: $0.revision) }
    } catch {
      // The first error is reported; the spaces are reclaimed eventually in any case.
      for space in spaces { try? giveBack(space) }
      throw error
    }
    if summary == nil { spaces.forEach(discard) } else { reclaimAfterCommit() }
    return summary
  }

  /// Returns the layouts of a dataset whose present items keep their columns, extended by appended
  /// items.
  private func layouts(
    on base: ImportBase, extendedTo trees: DatasetTrees
  ) throws -> [PreparedLayout] {
    guard case .kept(let state) = base else { return [] }
    let fills = try store.read { reader in
      try reader.layouts(of: state.row.id).compactMap {
        try preparer(reader).extendedLayout(of: $0, in: state, to: trees)
      }
    }
    var extended: [PreparedLayout] = []
    do {
      for fill in fills {
        do {
          let nodes = PooledNodes(store: store)
          extended.append(try fill.fill(from: nodes, in: store, clock, ProgressReporter(clock)))
        } catch let error where LayoutPreparer.isOfLayout(error, in: state) {
          // It is laid out from scratch.
          continue
        }
      }
      return extended
    } catch {
      // The first error is reported; the spaces are reclaimed eventually in any case.
      for space in extended.compactMap(\.ownSpace) { try? giveBack(space) }
      throw error
    }
  }

  /// The trees built from an import.
  struct Built {
    var trees: DatasetTrees
    /// The number of added items.
    var addedCount: Int
    /// The state on which the trees were built, if the import changes nothing.
    var unchanged: DatasetState?
    fileprivate var keys: ImportedKeys?

    func summary(at revision: Int) -> ImportSummary {
      var summary = ImportSummary(addedCount, trees, revision: revision)
      keys?.note(in: &summary)
      return summary
    }
  }

  /// Builds a dataset's trees in a space that is not published.
  ///
  /// - Throws: ``LayoutCacheError`` with `duplicateKey`; `LimitError`; read and write errors;
  ///   errors of the progress callback.
  func trees(
    from importer: inout Importer, on base: ImportBase, into filler: SpaceFiller
  ) throws -> Built {
    try importer.keys?.begin()
    let trees = try build(&importer, on: base, into: filler)
    try trees.checkCounts()
    var addedCount = trees.items.count - base.itemCount
    if case .kept = base, importer.missing != nil { addedCount = importer.newCount }
    var built = Built(trees: trees, addedCount: addedCount, keys: importer.keys)
    if importer.missing == nil, let keys = importer.keys,
      case .kept(let state) = base, !keys.hasChangedItems,
      built.addedCount == 0, trees.sections.count == state.trees.sections.count,
      !importer.items.hasChangedStyles, trees.order == state.trees.order
    {
      built.unchanged = state
    }
    return built
  }

  private func build(
    _ importer: inout Importer, on base: ImportBase, into filler: SpaceFiller
  ) throws -> DatasetTrees {
    // A match compares all keys itself.
    let keys = importer.missing == nil ? importer.keys : nil
    var builder = DatasetBuilder(
      into: filler, PooledNodes(store: store), hash: store.hash, shapes: options.treeShapes,
      order: importer.order ?? base.order, sortBytesMax: options.importBytes / 2)
    var kept: Set<Int> = []
    if case .kept(let state) = base, let missing = importer.missing {
      let session = passSession(over: state, PooledNodes(store: store))
      try Self.append(
        matched: &importer, missing: missing, on: state.trees, to: &builder, in: session)
      kept = Set(importer.items.sectionKeys.indices)
    } else if case .kept(let state) = base {
      let session = TreeSession(PooledNodes(store: store), keepsNodes: false)
      if let keys {
        try state.trees.items.forEachLeaf(in: session) { leaf, _ in
          try keys.note(present: leaf)
        }
      }
      kept = try Self.append(state.trees, and: &importer.items, keys, to: &builder, in: session)
    }
    for section in importer.items.sectionKeys.indices where !kept.contains(section) {
      let count = try Self.append(section, of: &importer.items, keys, to: &builder)
      // As with upserts, a section is created only for the items it receives.
      if count == 0 && importer.items.hasItems[section] { continue }
      try builder.endSection(
        SectionLeaf.Entry(
          key: importer.items.sectionKeys[section], itemCount: count,
          style: importer.items.style(ofSection: section)))
    }
    let trees = try builder.finish { try importer.items.error(ofDuplicates: $0) }
    try importer.items.watch(importer.items.count, importer.items.count)
    return trees
  }

  /// Makes the built trees the dataset's content.
  ///
  /// - Parameter extended: The layouts that follow it.
  /// - Returns: The dataset's state; `nil` if the base no longer exists.
  private func publish(
    _ trees: DatasetTrees, as name: String, in filler: SpaceFiller, on base: ImportBase,
    _ extended: [PreparedLayout]
  ) throws -> DatasetState? {
    switch base {
    case .nothing:
      return try create(name, trees, in: filler)
    case .replaced:
      guard try store.read({ try exists(name, $0) }) else { return nil }
      return try change(name, isReplaced: true) { change in
        try change.replaceItems(
          with: trees, in: filler.space, nextNode: filler.next, by: Self.caller)
        // The new items come from none of the sources whose marks are stored.
        try change.writer.deleteMarks(of: change.state.row.id)
        return change.state
      }
    case .kept(let old):
      return try change(name) { change in
        guard change.state.revision == old.revision, change.state.row.id == old.row.id else {
          return nil
        }
        try change.replaceItems(
          with: trees, in: filler.space, nextNode: filler.next, by: Self.caller, extended: extended)
        return change.state
      }
    }
  }

  /// Appends the present sections of a dataset, each followed by the items imported for it.
  ///
  /// - Returns: The numbers of the imported sections that the dataset already had.
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
        if let style = imported.styles[ExactKey(entry.key)] {
          if !(entry.style?.isExactly(style) ?? false) { imported.hasChangedStyles = true }
          grown.style = style
        }
        try builder.endSection(grown)
      }
    }
    return known
  }

  /// Appends the items imported for a section.
  ///
  /// - Returns: The number of appended items.
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
