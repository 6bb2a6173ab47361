import CollectionLayout
import LayoutGeometry
import SumTree

/// A layout named by a batch.
struct NamedLayout {
  let id: Int64
  /// Finds the variants of a responsive layout; `nil` for another one.
  var variants: (() throws -> [NamedLayout])?
  /// Reads the stored configuration.
  let configuration: () throws -> LayoutConfiguration
  /// Returns the plan of the stored configuration, whose custom kinds must be registered.
  let plan: () throws -> LayoutPlan
}

/// A resolver of the names in a batch, which also applies the batch to a dataset's trees: each
/// operation sees the result of the previous ones.
struct OperationResolver {
  private(set) var trees: DatasetTrees
  private(set) var resolved = LoggedBatch(operations: [])
  /// Whether the batch creates a revision: it has changed something or contains an operation that
  /// always does.
  var makesRevision = false
  let session: TreeSession
  /// The number of bytes of replaced data in ``resolved``.
  var replacedDataBytes = 0
  /// The number of bytes of restyled items in ``resolved``.
  var restyledBytes = 0
  /// The finder for items of the present trees.
  var finder = ItemFinder()
  /// Returns the dataset's layout with a name.
  private let findLayout: (String) throws -> NamedLayout?
  /// Returns whether a layout with an ID exists.
  private let hasLayout: (Int64) throws -> Bool
  /// The layouts that exist, and those that do not, as far as requested.
  private var existing: [Int64: Bool] = [:]
  /// The configurations read so far, by layout ID.
  private var configurations: [Int64: LayoutConfiguration] = [:]

  init(
    _ trees: DatasetTrees, in session: TreeSession,
    layout findLayout: @escaping (String) throws -> NamedLayout? = { _ in nil },
    hasLayout: @escaping (Int64) throws -> Bool = { _ in true }
  ) {
    self.trees = trees
    self.session = session
    self.findLayout = findLayout
    self.hasLayout = hasLayout
  }

  /// Resolves a batch and applies it.
  ///
  /// - Throws: ``LayoutCacheError`` with `refused`; the resolver is then unusable.
  mutating func apply(_ operations: [BatchOperation]) throws {
    for (index, operation) in operations.enumerated() {
      do {
        try apply(operation)
      } catch let reason as BatchError {
        throw LayoutCacheError(.refused(operation: index + 1, reason))
      }
    }
  }

  private mutating func apply(_ operation: BatchOperation) throws {
    try operation.checkNames()
    if let order = trees.order { try check(operation, order) }
    switch operation {
    case .insert(let items, let destination):
      try insert(items, at: destination)
    case .delete(let keys, let missing):
      try delete(keys, missing: missing)
    case .upsert(let items, let section, let moving):
      try upsert(items, section: section, moving: moving)
    case .move(let key, let destination):
      try move(key, to: destination)
    case .resize(let key, let size, let columnSpan):
      try resize(key, to: size, columnSpan: columnSpan)
    case .hide(let keys, let visibility):
      for key in keys { try show(key, visibility) }
    case .prefer(let layout, let key, let length, let crossLength):
      try prefer(
        MeasuredLength(key: key, length: length, crossLength: crossLength),
        of: self.layout(layout), named: layout)
    case .preferLengths(let layout, let lengths, let missing):
      try prefer(lengths, layout: layout, missing: missing)
    case .resetLengths(let layout):
      try resetLengths(layout: layout)
    case .preferSupplementary(let layout, let kind, let section, let length):
      try prefer(length, kind, section: section, layout: layout)
    case .data(let key, let data):
      try changeData(of: key, to: data)
    case .insertSection(let key, let index, let style):
      try insertSection(key, index: index, style: style)
    case .style(let key, let style):
      try restyle(section(key), to: style)
    case .deleteSection(let key, let missing):
      try deleteSection(key, missing: missing)
    case .moveSection(let key, let index):
      let section = try section(key)
      try check(index, count: trees.sections.count - 1)
      if index == section.index { return }
      try take(moving(section, to: index))
    case .invalidate(let layout, let items, let sections, let everything):
      try invalidate(layout, items: items, sections: sections, everything: everything)
    case .invalidateElements(let layout, let kinds, let sections):
      try invalidateElements(of: kinds, layout: layout, sections: sections)
    case .rebalance(let layout, let section, let key):
      try rebalance(layout, section: section, from: key)
    case .match(let sections, let missing):
      var list = MatchedList(sections)
      try match(&list, missing: missing)
    case .mark(let source, let position, _):
      resolved.marks.append(LoggedBatch.Mark(source: source, position: position))
      makesRevision = true
    }
  }

  mutating func take(_ operation: ResolvedOperation) throws {
    let operation = try trees.placed(operation, in: session)
    switch operation {
    // No item moves, so a screenful of neighbours takes one search.
    case .items(let splice) where splice.aspect == .values:
      if let run = splice.after.run { finder.note(run.items) }
    case .items(let splice) where splice.aspect == .data: break
    case .sections(let splice) where splice.before?.index == splice.after?.index: break
    case .note: break
    default: finder = ItemFinder()
    }
    try trees.apply(operation, in: session)
    resolved.operations.append(operation)
    makesRevision = true
  }
}

// MARK: - Items

extension OperationResolver {
  mutating func insert(_ items: [Item], at destination: ItemDestination) throws {
    if let order = trees.order { return try insert(items, into: destination.section, by: order) }
    let place = try place(of: destination)
    guard !items.isEmpty else { return }
    try check(new: items)
    var run = ItemRun()
    for item in items { run.append(item) }
    try take(.insert(run, at: place.index, of: place.section))
  }

  /// Checks that items can be inserted.
  func check(new items: [Item]) throws {
    var keys: Set<ExactKey> = []
    for item in items {
      guard keys.insert(ExactKey(item.key)).inserted,
        try trees.itemIndex(ofKey: item.key, in: session) == nil
      else { throw BatchError.keyExists(item.key) }
    }
    try within(nil) {
      try Limits.check(trees.items.count + items.count, in: 0...Limits.itemsMax, as: "items")
    }
  }

  private mutating func delete(_ keys: [String], missing: MissingKeys) throws {
    var places: [ItemPosition] = []
    var seen: Set<ExactKey> = []
    for key in keys {
      // The second time, the item no longer exists.
      let isFirst = seen.insert(ExactKey(key)).inserted
      guard let place = isFirst ? try finder.place(ofKey: key, in: trees, session) : nil else {
        if missing == .ignore { continue }
        throw BatchError.noSuchKey(key)
      }
      places.append(place)
    }
    // From the last to the first, so that a deletion does not change later positions; neighbours
    // are deleted together.
    places.sort { $0.number > $1.number }
    var start = 0
    while start < places.count {
      let first = places[start]
      var end = start + 1
      while end < places.count, places[end].section == first.section,
        places[end].index + 1 == places[end - 1].index
      {
        end += 1
      }
      let last = places[end - 1]
      try take(
        .delete(
          last.index..<(first.index + 1), of: first.section,
          removed: removed(last.number..<(first.number + 1))))
      start = end
    }
    if trees.order?.sections != nil { try deleteEmpty(places.map(\.section)) }
  }

  mutating func move(_ key: String, to destination: ItemDestination) throws {
    let old = try item(key)
    if let order = trees.order, let section = destination.section {
      return try move(key, toSection: section, by: order)
    }
    switch destination {
    case .before(let neighbour), .after(let neighbour):
      if ExactKey(neighbour) == ExactKey(key) {
        throw BatchError.relativeToItself(key)
      }
    case .end, .index, .ordered:
      break
    }
    let new = try place(of: destination, without: old)
    if new.section == old.section && new.index == old.index { return }
    let number = old.number..<(old.number + 1)
    let run = ItemRun(
      try finder.run(at: old, in: trees, session), try trees.data.run(of: number, in: session))
    try take(.move(run, from: (old.section, old.index), to: new))
  }

  mutating func resize(_ key: String, to size: Size, columnSpan: Int?) throws {
    let place = try item(key)
    try within(key) {
      try Limits.check(naturalSize: size)
      if let columnSpan {
        try Limits.check(columnSpan, in: 0...Limits.columnSpanMax, as: "span")
      }
    }
    var run = try finder.run(at: place, in: trees, session)
    let columnSpan = columnSpan ?? run.columnSpan(at: 0)
    if run.size(at: 0) == size && run.columnSpan(at: 0) == columnSpan { return }
    let previous = run
    run.resize(at: 0, to: size, columnSpan: columnSpan)
    try take(.change(previous, to: run, at: place.index, of: place.section))
  }

  mutating func show(_ key: String, _ visibility: ItemVisibility) throws {
    let place = try item(key)
    var run = try finder.run(at: place, in: trees, session)
    if run.visibility(at: 0) == visibility { return }
    let previous = run
    run.setVisibility(visibility, at: 0)
    try take(.change(previous, to: run, at: place.index, of: place.section))
  }

  mutating func changeData(of key: String, to data: ItemData?) throws {
    if let order = trees.order { try place(key, with: data, by: order) }
    try setData(of: key, to: data)
  }

  /// Changes an item's data where the item is.
  mutating func setData(of key: String, to data: ItemData?) throws {
    let place = try item(key)
    let previous = try trees.data.run(of: place.number..<(place.number + 1), in: session)
    var run = ItemDataRun()
    run.append(data)
    if run == previous { return }
    let isKept = keepsReplaced(previous.byteCount)
    try take(
      .changeData(
        of: finder.run(at: place, in: trees, session), from: isKept ? previous : nil, to: run,
        at: place.index, of: place.section))
  }
}

// MARK: - Sections and layouts

extension OperationResolver {
  /// Returns the layout with a name, which has a result.
  func layout(_ name: String) throws -> NamedLayout {
    guard let layout = try findLayout(name) else { throw BatchError.noSuchLayout(name) }
    if layout.variants != nil { throw BatchError.variant(name, ConfigurationError(.sizeMissing)) }
    return layout
  }

  /// Returns the layout with a name, or all variants of a responsive one.
  func layouts(_ name: String) throws -> [NamedLayout] {
    guard let layout = try findLayout(name) else { throw BatchError.noSuchLayout(name) }
    return try layout.variants?() ?? [layout]
  }

  /// Returns whether a layout exists; lengths measured for one that does not are garbage.
  mutating func isLayout(_ id: Int64) throws -> Bool {
    if let known = existing[id] { return known }
    let exists = try hasLayout(id)
    existing[id] = exists
    return exists
  }

  mutating func configuration(of layout: NamedLayout) throws -> LayoutConfiguration {
    if let known = configurations[layout.id] { return known }
    let configuration = try layout.configuration()
    configurations[layout.id] = configuration
    return configuration
  }

  mutating func insertSection(_ key: String, index: Int?, style: String? = nil) throws {
    guard try trees.sectionIndex(ofKey: key, in: session) == nil else {
      throw BatchError.sectionExists(key)
    }
    let index = index ?? trees.sections.count
    try check(index, count: trees.sections.count)
    try within(nil) {
      try Limits.check(trees.sections.count + 1, in: 0...Limits.sectionsMax, as: "sections")
    }
    try take(.insertSection(SectionReference(index: index, key: key), style: style))
  }

  mutating func deleteSection(_ key: String, missing: MissingKeys) throws {
    if missing == .ignore, try trees.sectionIndex(ofKey: key, in: session) == nil { return }
    let section = try section(key)
    let items = try trees.items(ofSection: section.index, in: session)
    try take(
      .sections(
        SectionSplice(
          before: .init(index: section.index, entry: entry(of: section)), items: removed(items))))
  }

  /// Returns the move of a section to an index, counted after its removal.
  func moving(_ section: SectionReference, to index: Int) throws -> ResolvedOperation {
    let entry = try entry(of: section)
    return .sections(
      SectionSplice(
        before: .init(index: section.index, entry: entry), after: .init(index: index, entry: entry))
    )
  }
}

/// The position of an item, or between two items.
struct ItemPosition {
  var section: SectionReference
  /// The item's number in its section.
  var index: Int
  /// The item's number, counted from the dataset's first.
  var number: Int

  /// Returns the index after another item is removed.
  func index(without other: ItemPosition?) -> Int {
    guard let other, other.section == section, other.index < index else { return index }
    return index - 1
  }
}

/// A finder of items by key, which remembers the leaf and section of the last item: neighbours,
/// the usual case in batches, need no search.
///
/// It is valid for one version of the trees.
struct ItemFinder {
  private var leaf = ItemLeaf()
  private var leafStart = 0
  private var section: SectionReference?
  private var sectionItems = 0..<0

  /// Returns the position of the item with a key; `nil` if there is no such item.
  ///
  /// - Complexity: O(log items) nodes; none for a neighbour of the last item.
  mutating func place(
    ofKey key: String, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemPosition? {
    if let index = leaf.firstIndex(ofKey: key) {
      return try place(ofItem: leafStart + index, in: trees, session)
    }
    guard let found = try trees.item(ofKey: key, in: session) else { return nil }
    (leaf, leafStart) = (found.leaf, found.start)
    return try place(ofItem: found.start + found.index, in: trees, session)
  }

  /// Returns the item at a position as a separate leaf.
  ///
  /// - Complexity: As for ``place(ofKey:in:_:)``.
  mutating func run(
    at place: ItemPosition, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemLeaf {
    if !(leafStart..<(leafStart + leaf.count)).contains(place.number) {
      (leaf, leafStart) = try trees.items.leaf(containing: place.number, in: session)
    }
    let index = place.number - leafStart
    var run = leaf.slice(index..<(index + 1))
    run.label = 0
    return run
  }

  /// Returns the natural size, span and visibility of the item at a position.
  ///
  /// - Complexity: As for ``place(ofKey:in:_:)``.
  mutating func shape(
    at place: ItemPosition, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> (size: Size, columnSpan: Int, visibility: ItemVisibility) {
    if !(leafStart..<(leafStart + leaf.count)).contains(place.number) {
      (leaf, leafStart) = try trees.items.leaf(containing: place.number, in: session)
    }
    let index = place.number - leafStart
    return (leaf.size(at: index), leaf.columnSpan(at: index), leaf.visibility(at: index))
  }

  /// Records that an item of the trees was changed to the one item of a leaf.
  mutating func note(_ run: ItemLeaf) {
    if let index = leaf.firstIndex(ofKey: run.key(at: 0)) { leaf.change(at: index, to: run) }
  }

  private mutating func place(
    ofItem number: Int, in trees: DatasetTrees, _ session: TreeSession
  ) throws -> ItemPosition? {
    if !sectionItems.contains(number) {
      guard let found = try trees.section(ofItem: number, in: session) else { return nil }
      (section, sectionItems) = (found.section, found.items)
    }
    return section.map {
      ItemPosition(section: $0, index: number - sectionItems.lowerBound, number: number)
    }
  }
}

extension OperationResolver {
  /// Returns the position named by a destination.
  ///
  /// - Parameter old: The position of an item that will be removed first; the result is counted
  ///   without it.
  mutating func place(
    of destination: ItemDestination, without old: ItemPosition? = nil
  ) throws -> (section: SectionReference, index: Int) {
    switch destination {
    case .end(let key):
      let section = try section(key)
      return (section, try itemCount(of: section, without: old))
    case .index(let index, let key):
      let section = try section(key)
      try check(index, count: try itemCount(of: section, without: old))
      return (section, index)
    case .before(let key):
      let place = try item(key)
      return (place.section, place.index(without: old))
    case .after(let key):
      var place = try item(key)
      place.index += 1
      return (place.section, place.index(without: old))
    case .ordered: throw BatchError.needsSection
    }
  }

  private func itemCount(of section: SectionReference, without old: ItemPosition?) throws -> Int {
    let count = try trees.items(ofSection: section.index, in: session).count
    return old?.section == section ? count - 1 : count
  }

  mutating func item(_ key: String) throws -> ItemPosition {
    guard let place = try finder.place(ofKey: key, in: trees, session) else {
      throw BatchError.noSuchKey(key)
    }
    return place
  }

  func section(_ key: String) throws -> SectionReference {
    guard let index = try trees.sectionIndex(ofKey: key, in: session) else {
      throw BatchError.noSuchSection(key)
    }
    return SectionReference(index: index, key: key)
  }

  func check(_ index: Int, count: Int) throws {
    guard (0...max(count, 0)).contains(index) else {
      throw BatchError.indexOutOfRange(index, count: count)
    }
  }

  func within(_ key: String?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LimitError {
      throw BatchError.limit(error, key: key)
    }
  }
}

// The replaced content that the log stores: enough to report changes and undo them, but bounded,
// so that large deletions stay possible.

extension OperationResolver {
  /// Returns the removed items for the log; `nil` if the log should not store them.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  mutating func removed(_ range: Range<Int>) throws -> ItemRun? {
    guard !range.isEmpty, range.count <= Budgets.removedItems else { return nil }
    var run = ItemRun()
    var data = ItemDataFinger(trees.data, in: session)
    var start = range.lowerBound
    try trees.items.forEachRun(of: range, in: session) { items in
      // Data that will not be stored need not be read.
      guard run.data.byteCount <= Budgets.replacedDataBytes else { return }
      run.append(ItemRun(items, try data.run(of: start..<(start + items.count))))
      start += items.count
    }
    return keepsReplaced(run.data.byteCount) ? run : nil
  }

  /// Returns whether the log can store `byteCount` more bytes of removed or changed data, and
  /// counts them.
  mutating func keepsReplaced(_ byteCount: Int) -> Bool {
    guard replacedDataBytes + byteCount <= Budgets.replacedDataBytes else { return false }
    replacedDataBytes += byteCount
    return true
  }
}

// Styles of sections.

extension OperationResolver {
  /// Changes a section's style, unless it has that style already.
  ///
  /// - Complexity: O(items of the section), because layouts place them again.
  mutating func restyle(_ section: SectionReference, to style: String?) throws {
    let entry = try entry(of: section)
    if entry.style.isExactly(style) { return }
    let items = try trees.items(ofSection: section.index, in: session)
    var restyled = entry
    restyled.style = style
    try replace(
      entry, of: section, by: restyled, restyledItems(items).map { ItemRun($0) })
  }

  /// - Parameter items: The section's items, if they belong to the change.
  mutating func replace(
    _ entry: SectionLeaf.Entry, of section: SectionReference, by new: SectionLeaf.Entry,
    _ items: ItemRun? = nil
  ) throws {
    try take(
      .sections(
        SectionSplice(
          before: .init(index: section.index, entry: entry),
          after: .init(index: section.index, entry: new), items: items)))
  }

  /// Changes the styles of existing sections to those that an import states.
  mutating func restyle(_ items: ImportedItems) throws {
    let stated = items.styles.sorted {
      $0.key.string.utf8.lexicographicallyPrecedes($1.key.string.utf8)
    }
    for (key, style) in stated {
      guard let index = try trees.sectionIndex(ofKey: key.string, in: session) else { continue }
      try restyle(SectionReference(index: index, key: key.string), to: style)
    }
  }

  /// Returns the items of a restyled section for the log; `nil` without items, or if the batch's
  /// restyled items are too large for it.
  ///
  /// - Parameter range: Item numbers, counted from the dataset's first.
  private mutating func restyledItems(_ range: Range<Int>) throws -> ItemLeaf? {
    if range.isEmpty || restyledBytes > Budgets.restyledBytes { return nil }
    var items = ItemLeaf()
    try trees.items.forEachRun(of: range, in: session) { run in
      // Items that will not be stored need not be read.
      guard restyledBytes <= Budgets.restyledBytes else { return }
      restyledBytes += run.byteCount
      items.append(run)
    }
    return restyledBytes <= Budgets.restyledBytes ? items : nil
  }
}
