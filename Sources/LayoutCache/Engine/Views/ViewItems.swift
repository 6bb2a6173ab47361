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
    view.isWhole ? 0 : trees.items.count * Budgets.itemBytes + dataBytes
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
      run.data.forEachItem { _, _, data in
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
    run.data.forEachItem { place, _, data in
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
  fileprivate func included(_ run: ItemRun, section: String) -> ItemRun {
    if filter == nil && list == nil { return run }
    var found = ItemRun()
    // Adjacent items are copied together.
    var start: ItemDataRun.Place?
    var end = ItemDataRun.Place()
    run.data.forEachItem { place, next, data in
      end = next
      let isIncluded = includes(run.items, place.item, data, section: section)
      if let first = start, !isIncluded { found.append(run.slice(first, place)) }
      start = isIncluded ? start ?? place : nil
    }
    if let first = start { found.append(run.slice(first, end)) }
    return found
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
      changes.add(try LoggedBatch(row, path: reader.path))
    }
    if changes.areUnknown { return nil }
    var editor = ViewEditor(view: view, base: present, session: session, trees: trees)
    for (layout, lengths) in changes.lengths {
      let earlier = trees.layoutLengths[layout] ?? .none
      try editor.take(.note(.measure(from: earlier, to: lengths), layout: layout))
    }
    try editor.update(sections: changes.sections)
    try editor.update(changes.items)
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

/// The items and sections that some commits concern.
private struct ConcernedItems {
  /// A possible change of an item.
  struct Concern {
    /// Whether it may have another place among the items that stay.
    var moves: Bool
    /// The only layout in which it has changed; `nil` for all.
    var layout: Int64?
  }

  private(set) var items: [ExactKey: Concern] = [:]
  /// The sections that may have other properties, and whether each may have another place.
  private(set) var sections: [ExactKey: Bool] = [:]
  /// The new measured lengths of layouts' headers and footers.
  private(set) var lengths: [Int64: SupplementaryLengths] = [:]
  /// Whether other items may have changed, too.
  private(set) var areUnknown = false
  /// Whether the order and the properties of sections matter.
  private let ofSections: Bool

  init(ofSections: Bool) { self.ofSections = ofSections }

  mutating func add(_ batch: LoggedBatch) {
    if batch.kind == .build { areUnknown = true }
    for operation in batch.operations {
      switch operation {
      case .items(let splice):
        if splice.before.isUnknown && splice.aspect == .place { areUnknown = true }
        for run in [splice.before.run, splice.after.run] {
          if let run { add(run, moves: splice.aspect == .place, in: splice.layout) }
        }
      case .sections(let splice):
        if let key = (splice.after ?? splice.before).map({ ExactKey($0.entry.key) }), ofSections {
          sections[key] = sections[key] == true || splice.isMove
        }
        if splice.before != nil, splice.after != nil { continue }
        if splice.isUnknown { areUnknown = true }
        if let run = splice.items { add(run, moves: true) }
      case .note(.measure(_, let new), let layout): lengths[layout] = new
      case .note: break
      }
    }
  }

  private mutating func add(_ run: ItemRun, moves: Bool, in layout: Int64? = nil) {
    for index in 0..<run.count {
      let key = ExactKey(run.key(at: index))
      var concern = items[key] ?? Concern(moves: moves, layout: layout)
      concern.moves = concern.moves || moves
      if concern.layout != layout { concern.layout = nil }
      items[key] = concern
    }
  }
}

extension LoggedBatch {
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
  fileprivate func foundItem(
    ofKey key: String, in session: TreeSession
  ) throws -> (number: Int, section: SectionReference, run: ItemRun)? {
    guard let (leaf, start, index) = try item(ofKey: key, in: session),
      let (section, _) = try place(ofItem: start + index, in: session)
    else { return nil }
    let data = try data.run(of: (start + index)..<(start + index + 1), in: session)
    return (start + index, section, ItemRun(leaf.slice(index..<(index + 1)), data))
  }
}

/// An editor of a view's items.
private struct ViewEditor {
  let view: DatasetView
  let base: DatasetTrees
  /// The session that reads the dataset.
  let session: TreeSession
  private(set) var trees: DatasetTrees
  /// The session that edits the view.
  private let own = TreeSession()
  private(set) var operations: [ResolvedOperation] = []
  /// The bytes of data that the operations add.
  private(set) var addedBytes = 0

  /// An item of the dataset that is in the view.
  private struct Found {
    /// Its number in the dataset.
    var number: Int
    var section: SectionReference
    var run: ItemRun
    /// Of a view with an order.
    var rank: ItemRank?
  }

  init(view: DatasetView, base: DatasetTrees, session: TreeSession, trees: DatasetTrees) {
    (self.view, self.base, self.session, self.trees) = (view, base, session, trees)
  }

  mutating func take(_ operation: ResolvedOperation) throws {
    let operation = try trees.placed(operation, in: own)
    try trees.apply(operation, in: own)
    operations.append(operation)
  }

  /// The maximum number of items of a restyled section that layouts follow.
  private static let restyledMax = 4096

  /// Gives sections of the view the places and properties that they have in the dataset.
  ///
  /// - Parameter sections: Their keys, and whether each may have moved.
  mutating func update(sections: [ExactKey: Bool]) throws {
    // The others are in order throughout.
    var pending = Set(sections.filter(\.value).keys)
    for (key, hasMoved) in sections {
      pending.remove(key)
      guard let present = try base.sectionIndex(ofKey: key.string, in: session),
        let index = try trees.sectionIndex(ofKey: key.string, in: own)
      else { continue }
      let old = try section(index)
      let place = try base.sections.place(at: present, from: SectionPosition(), in: session)
      var new = old
      new.style = place.leaf.entries[place.index].style
      new.supplementaryLengths = place.leaf.entries[place.index].supplementaryLengths
      var splice = SectionSplice(
        before: .init(index: index, entry: old), after: .init(index: index, entry: new))
      if splice.isRestyle, old.itemCount <= Self.restyledMax {
        var run = ItemRun()
        let range = try trees.items(ofSection: index, in: own)
        try trees.forEachRun(of: range, in: own) { run.append($0) }
        splice.items = run
      }
      if splice.isRestyle || splice.changesLengths { try take(.sections(splice)) }
      guard hasMoved else { continue }
      let target = try self.index(for: present, of: index, besides: pending)
      if target == index { continue }
      let moved = SectionSplice.Side(index: target, entry: new)
      try take(.sections(SectionSplice(before: .init(index: index, entry: new), after: moved)))
    }
  }

  /// Returns the index in the view for a section of the view, counted without it.
  ///
  /// - Parameters:
  ///   - present: Its index in the dataset.
  ///   - pending: Sections that are not in order yet.
  private func index(
    for present: Int, of section: Int, besides pending: Set<ExactKey>
  ) throws -> Int {
    var index = 0
    for other in 0..<trees.sections.count where other != section {
      let key = try self.section(other).key
      guard !pending.contains(ExactKey(key)),
        let place = try base.sectionIndex(ofKey: key, in: session), place < present
      else { continue }
      index = other < section ? other + 1 : other
    }
    return index
  }

  /// - Parameter items: The items to look up.
  mutating func update(_ items: [ExactKey: ConcernedItems.Concern]) throws {
    var arriving: [Found] = []
    for (key, concern) in items {
      let found = try find(key.string)
      guard let present = try trees.itemIndex(ofKey: key.string, in: own) else {
        if let found { arriving.append(found) }
        continue
      }
      let old = try run(at: present)
      addedBytes -= old.data.byteCount
      if let found, !(view.hasSections ? concern.moves : rank(of: old) != found.rank) {
        addedBytes += found.run.data.byteCount
        try change(present, old, to: found.run, in: concern.layout)
        continue
      }
      try remove(present, old)
      if let found { arriving.append(found) }
    }
    arriving.sort { left, right in
      if let own = left.rank, let other = right.rank { return own < other }
      return left.number < right.number
    }
    for found in arriving { try insert(found) }
  }

  /// Returns an item of the dataset; `nil` if there is none, or it is not in the view.
  private func find(_ key: String) throws -> Found? {
    guard let (number, section, item) = try base.foundItem(ofKey: key, in: session) else {
      return nil
    }
    let run = view.included(item, section: section.key)
    return run.count == 0
      ? nil : Found(number: number, section: section, run: run, rank: rank(of: run))
  }

  /// Returns the rank of a run's only item; `nil` in the dataset's order.
  private func rank(of run: ItemRun) -> ItemRank? {
    view.ownOrder?.rank(ofKey: run.key(at: 0), run.data.items[0])
  }

  private func run(at number: Int) throws -> ItemRun {
    var found = ItemRun()
    try trees.forEachRun(of: number..<(number + 1), in: own) { found.append($0) }
    return found
  }

  private func place(_ number: Int) throws -> (section: SectionReference, item: Int) {
    guard let place = try trees.place(ofItem: number, in: own) else { throw Damage.misplaced }
    return place
  }

  /// - Parameter layout: The only layout in which sizes and lengths change; `nil` for all.
  private mutating func change(
    _ number: Int, _ old: ItemRun, to new: ItemRun, in layout: Int64?
  ) throws {
    let (section, index) = try place(number)
    if old.items != new.items {
      try take(.change(old.items, to: new.items, at: index, of: section, layout: layout))
    }
    if old.data != new.data {
      try take(.changeData(of: new.items, from: old.data, to: new.data, at: index, of: section))
    }
  }

  private mutating func remove(_ number: Int, _ old: ItemRun) throws {
    let (section, index) = try place(number)
    try take(.delete(index..<(index + 1), of: section, removed: old))
    let entry = try self.section(section.index)
    if entry.itemCount > 0 { return }
    try take(.sections(SectionSplice(before: .init(index: section.index, entry: entry))))
  }

  private func section(_ index: Int) throws -> SectionLeaf.Entry {
    let place = try trees.sections.place(at: index, from: SectionPosition(), in: own)
    return place.leaf.entries[place.index]
  }

  private mutating func insert(_ found: Found) throws {
    let section = try section(for: found)
    let range = try trees.items(ofSection: section.index, in: own)
    var number = range.upperBound
    if let rank = found.rank, let order = view.ownOrder {
      number = try trees.place(of: rank, in: range, by: order, own)
    } else {
      number = try trees.firstItem(in: range, own) {
        try base.itemIndex(ofKey: $0, in: session).map { $0 > found.number } ?? false
      }
    }
    addedBytes += found.run.data.byteCount
    try take(.insert(found.run, at: number - range.lowerBound, of: section))
  }

  /// Returns the section of an item, which is inserted if the view does not have it.
  private mutating func section(for found: Found) throws -> SectionReference {
    var entry = SectionLeaf.Entry(key: ViewItems.section, itemCount: 0)
    if view.hasSections {
      let place = try base.sections.place(
        at: found.section.index, from: SectionPosition(), in: session)
      entry = place.leaf.entries[place.index]
      entry.itemCount = 0
    }
    if let index = try trees.sectionIndex(ofKey: entry.key, in: own) {
      return SectionReference(index: index, key: entry.key)
    }
    let index = try trees.firstSection(own) {
      try base.sectionIndex(ofKey: $0, in: session).map { $0 > found.section.index } ?? false
    }
    let side = SectionSplice.Side(index: index, entry: entry)
    try take(.sections(SectionSplice(after: side)))
    return side.reference
  }
}
