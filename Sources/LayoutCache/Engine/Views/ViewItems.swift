import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The items of a view at one revision of its dataset: trees like a dataset's, in memory only; of the
/// view that has all items, the dataset's.
struct ViewItems: Sendable {
  let view: DatasetView
  private(set) var revision: Int
  private(set) var trees: DatasetTrees
  /// The dataset's trees at that revision.
  private(set) var base: DatasetTrees

  /// The key of the only section of a view that has an order.
  static let section = "main"

  /// The order of the view; `nil` for the dataset's.
  var order: DatasetOrder? { view.ownOrder }

  /// The number of items that a pass reads in the time in which one is looked up.
  private static let passedItems = 256

  private var dataBytes = 0

  /// Sentences about conditions that compare numbers with texts.
  private(set) var hints: [String] = []

  /// The approximate memory of the items, in bytes.
  var byteCount: Int {
    let count = trees.items.count + (view.list?.keys.count ?? 0)
    return view.isWhole ? 0 : count * Budgets.itemBytes + dataBytes
  }

  /// Reads a dataset from beginning to end, or looks up the items of a list.
  ///
  /// - Parameters:
  ///   - base: The dataset's trees.
  ///   - revision: The dataset's revision.
  /// - Throws: ``LayoutCacheError`` with `temporaryTooLarge`; read errors.
  /// - Complexity: O(items of the dataset) in the memory of the view; with an order, O(n log n) for
  ///   the n items of the view, in twice its memory.
  init(
    _ view: DatasetView, of base: DatasetTrees, at revision: Int, shapes: TreeShapes,
    from reader: StoreReader
  ) throws {
    (self.view, self.base, self.revision) = (view, base, revision)
    self.base.unload()
    guard !view.isWhole else {
      trees = self.base
      return
    }
    var builder = DatasetBuilder(
      into: nil, nil, hash: base.itemKeys.hash, shapes: shapes,
      order: view.ownOrder ?? base.order, isInOrder: true, sortBytesMax: Budgets.temporaryBytes / 4)
    var sorter = view.ownOrder.map { ViewSorter($0) }
    let session = TreeSession(reader, keepsNodes: false)
    var (start, itemCount, dataBytes) = (0, 0, 0)
    func take(_ run: ItemRun, of section: String) throws {
      let found = view.included(run, section: section)
      itemCount += found.count
      dataBytes += found.data.byteCount
      let byteCount = itemCount * Budgets.itemBytes + dataBytes
      if byteCount > Budgets.temporaryBytes { throw LayoutCacheError(viewOf: byteCount) }
      if sorter == nil { try builder.append(found) } else { sorter?.append(found) }
      LongWork.giveWay()
    }
    if let keys = view.keys, keys.count < base.items.count / Self.passedItems {
      for key in keys {
        guard let found = try base.foundItem(ofKey: key, in: session) else { continue }
        try take(found.run, of: found.section.key)
      }
    } else {
      try base.sections.forEachLeaf(in: session) { leaf, _ in
        for var entry in leaf.entries {
          let (range, before) = (start..<(start + entry.itemCount), itemCount)
          start = range.upperBound
          try base.forEachRun(of: range, in: session) { try take($0, of: entry.key) }
          entry.itemCount = itemCount - before
          if sorter == nil, entry.itemCount > 0 { try builder.endSection(entry) }
        }
      }
    }
    if itemCount > 0, sorter != nil {
      try sorter?.forEachRun { try builder.append($0) }
      try builder.endSection(SectionLeaf.Entry(key: Self.section, itemCount: itemCount))
    }
    trees = try builder.finish { _ in Damage.misplaced }
    trees.layoutLengths = base.layoutLengths
    self.dataBytes = dataBytes
    hints = try base.membersOfNumericTexts(among: view.numericMembers, session).map { name in
      """
      the texts of '\(excerpt(name))' look like numbers, and are not compared with numbers; import \
      numbers, or put the value in quotes
      """
    }
  }
}

extension DatasetTrees {
  /// The number of items whose values are looked at.
  private static let sampleCount = 1024

  /// Returns the members whose values, in the first items, are only texts that look like numbers.
  fileprivate func membersOfNumericTexts(
    among names: [ExactKey], _ session: TreeSession
  ) throws -> [String] {
    if names.isEmpty { return [] }
    var (some, others): (Set<Int>, Set<Int>) = ([], [])
    try forEachRun(of: 0..<min(items.count, Self.sampleCount), in: session) { run in
      run.data.forEachItem { _, data in
        for (index, value) in names.filterValues(in: data).enumerated() {
          guard let value, value != .null else { continue }
          if case .text(let text) = value, case .number = FilterValue(word: text.string) {
            some.insert(index)
          } else {
            others.insert(index)
          }
        }
      }
    }
    return some.subtracting(others).sorted().map { names[$0].string }
  }
}

/// The items of a view that has an order, in memory.
private struct ViewSorter {
  /// An item, by its run and the place before it. Whole ranks would take more memory than the items,
  /// and few items have equal first bytes of them.
  private struct Row {
    var prefix: UInt64
    var run: Int32
    var place: ItemDataRun.Place
  }

  private let order: DatasetOrder
  private var runs: [ItemRun] = []
  private var rows: [Row] = []

  init(_ order: DatasetOrder) { self.order = order }

  mutating func append(_ run: ItemRun) {
    run.data.forEachItem { place, data in
      let rank = order.rank(ofKey: run.key(at: place.item), in: data)
      rows.append(Row(prefix: rank.prefix, run: Int32(runs.count), place: place))
    }
    runs.append(run)
  }

  private func rank(of row: Row) -> ItemRank {
    let run = runs[Int(row.run)]
    return run.data.withData(at: row.place) {
      order.rank(ofKey: run.key(at: row.place.item), in: $0)
    }
  }

  private mutating func sort() {
    rows.sort { $0.prefix < $1.prefix }
    var start = 0
    while start < rows.count {
      let end = rows[start...].firstIndex { $0.prefix != rows[start].prefix } ?? rows.count
      if end - start > 1 {
        let equal = rows[start..<end].map { (row: $0, rank: rank(of: $0)) }
        rows.replaceSubrange(
          start..<end, with: equal.sorted { $0.rank < $1.rank }.map(\.row))
      }
      start = end
    }
  }

  /// Calls `body` with the items in order.
  mutating func forEachRun(_ body: (ItemRun) throws -> Void) rethrows {
    sort()
    for start in stride(from: 0, to: rows.count, by: LongWork.strideCount) {
      var run = ItemRun()
      for row in rows[start..<min(start + LongWork.strideCount, rows.count)] {
        run.append(runs[Int(row.run)], at: row.place)
      }
      try body(run)
      LongWork.giveWay()
    }
  }
}

extension DatasetView {
  func included(_ run: ItemRun, section: String) -> ItemRun {
    if filter == nil && list == nil { return run }
    var found = ItemRun()
    run.data.forEachItem { place, data in
      if includes(run.items, place.item, data, section: section) { found.append(run, at: place) }
    }
    return found.count == run.count ? run : found
  }
}

// MARK: - Following

extension ViewItems {
  /// Follows the commits of the dataset: each item that they name is looked up in the dataset and
  /// in the view, whatever happened to it.
  ///
  /// - Parameters:
  ///   - present: The dataset's trees at a later revision.
  ///   - dataset: The dataset's ID.
  ///   - session: Reads the dataset.
  /// - Returns: The changes, which layouts of the view follow; `nil` if building the view again
  ///   costs less, or the log does not tell which items changed. The value is then unusable.
  /// - Complexity: O(log² items) nodes for each item that the commits name.
  mutating func follow(
    to present: DatasetTrees, of dataset: Int64, at next: Int, _ reader: StoreReader,
    _ session: TreeSession
  ) throws -> LoggedBatch? {
    guard let head = try reader.logHead(of: dataset, at: next),
      let extent = try reader.logExtent(after: revision, upTo: head),
      extent.operations <= max(Budgets.followedItems, present.items.count / 64)
    else { return nil }
    if view.isWhole {
      let batch = try reader.operations(after: revision, upTo: head)
      (revision, base, trees) = (next, present, present)
      unload()
      return batch
    }
    var changes = ConcernedItems(ofSections: view.hasSections)
    try reader.forEachLogRow(after: revision, upTo: head) { row in
      changes.add(try LoggedBatch(row, path: reader.path), isLast: row.revision == next)
    }
    if changes.areUnknown { return nil }
    var editor = ViewEditor(view: view, base: present, session: session, trees: trees)
    for (layout, lengths) in changes.lengths {
      let earlier = trees.layoutLengths[layout] ?? .none
      try editor.take(.note(.measure(from: earlier, to: lengths), layout: layout))
    }
    try editor.update(sections: changes.sections)
    try editor.update(changes.items)
    for invalidation in changes.invalidations { try editor.invalidate(invalidation) }
    (revision, base, trees) = (next, present, editor.trees)
    base.unload()
    dataBytes += editor.addedBytes
    return byteCount > Budgets.temporaryBytes ? nil : LoggedBatch(operations: editor.operations)
  }
}

extension ViewItems {
  /// Replaces the trees by those of the dataset at the same revision, if the view has all items.
  mutating func read(from present: DatasetTrees) {
    guard view.isWhole else { return }
    (base, trees) = (present, present)
  }

  /// Releases the dataset's nodes that were read from the file.
  mutating func unload() {
    base.unload()
    if view.isWhole { trees.unload() }
  }
}

extension StoreReader {
  /// Returns the operations of some commits as one batch; `nil` if layouts cannot follow them.
  fileprivate func operations(after revision: Int, upTo head: LogHead) throws -> LoggedBatch? {
    var (batch, isEverything) = (LoggedBatch(operations: []), false)
    try forEachLogRow(after: revision, upTo: head) { row in
      let next = try LoggedBatch(row, path: path)
      // No note of the log is for a layout that is not stored.
      isEverything = isEverything || next.isEverything(for: 0)
      batch.operations += next.operations
    }
    return isEverything ? nil : batch
  }
}

extension LoggedBatch {
  var hasOnlyNotes: Bool {
    operations.allSatisfy { if case .note = $0 { true } else { false } }
  }

  /// Returns whether something may change in a view: some item is in it before or after, or it is not
  /// known which items change.
  ///
  /// - Parameters:
  ///   - layout: The layout in which it is shown; `nil` for none.
  ///   - present: The dataset after the batch, or later: an item that has gone since is told of with
  ///     the batch that took it away.
  func mayChange(
    _ view: DatasetView, in layout: Int64?, _ present: DatasetTrees, _ session: TreeSession
  ) throws -> Bool {
    if kind == .build { return true }
    return try operations.contains { operation in
      switch operation {
      case .items(let splice):
        if splice.before.isUnknown { return true }
        if let only = splice.layout, only != layout { return false }
        return try [splice.before, splice.after].contains { side in
          guard let run = side.run else { return false }
          // The log has no data of items whose values change.
          return try splice.aspect == .values
            ? present.areIncluded(run, in: view, session)
            : view.included(run, section: side.section.key).count > 0
        }
      case .sections(let splice):
        let side = splice.after ?? splice.before
        if splice.before != nil, splice.after != nil, let side {
          return try view.hasSections
            && present.mayHaveItem(ofSection: side.entry.key, in: view, session)
        }
        guard let run = splice.items, let side else { return splice.isUnknown }
        return view.included(run, section: side.entry.key).count > 0
      case .note(.invalidate(_, let section), let other):
        return try other == layout
          && present.mayHaveItem(ofSection: section.key, in: view, session)
      case .note(_, let other): return other == layout
      }
    }
  }
}

extension DatasetTrees {
  /// The number of items of a section among which one of a view is looked for.
  private static let searchedCount = 4096

  /// Returns whether a view has an item of a section, or the section has too many items to say.
  fileprivate func mayHaveItem(
    ofSection key: String, in view: DatasetView, _ session: TreeSession
  ) throws -> Bool {
    guard let index = try sectionIndex(ofKey: key, in: session) else { return false }
    let range = try items(ofSection: index, in: session)
    if range.count > Self.searchedCount { return true }
    var isFound = false
    try forEachRun(of: range, in: session) { run in
      isFound = isFound || view.included(run, section: key).count > 0
    }
    return isFound
  }

  /// Returns whether one of some items is in a view.
  fileprivate func areIncluded(
    _ run: ItemRun, in view: DatasetView, _ session: TreeSession
  ) throws -> Bool {
    try (0..<run.count).contains { index in
      guard let found = try foundItem(ofKey: run.key(at: index), in: session) else { return false }
      let own = ItemRun(run.items.slice(index..<(index + 1)), found.run.data)
      return view.included(own, section: found.section.key).count > 0
    }
  }

  /// Returns the item with a key, its number and its section; `nil` if there is no such item.
  func foundItem(
    ofKey key: String, in session: TreeSession
  ) throws -> (number: Int, section: SectionReference, run: ItemRun)? {
    guard let (leaf, start, index) = try item(ofKey: key, in: session),
      let (section, _) = try place(ofItem: start + index, in: session)
    else { return nil }
    let data = try data.run(of: (start + index)..<(start + index + 1), in: session)
    return (start + index, section, ItemRun(leaf.slice(index..<(index + 1)), data))
  }
}
