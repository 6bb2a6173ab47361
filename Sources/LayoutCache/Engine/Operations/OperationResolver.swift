import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A layout named by a batch.
struct NamedLayout {
  let id: Int64
  /// Finds the variants of a responsive layout; `nil` for another one.
  var variants: (() throws -> [NamedLayout])?
  /// Reads the stored configuration.
  let configuration: () throws -> LayoutConfiguration
}

/// A resolver of the names in a batch, which also applies the batch to a dataset's trees: each
/// operation sees the result of the previous ones.
struct OperationResolver {
  private(set) var trees: DatasetTrees
  private(set) var resolved: [ResolvedOperation] = []
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
      } catch let reason as OperationError.Reason {
        throw LayoutCacheError(.refused(OperationError(number: index + 1, reason: reason)))
      }
    }
  }

  private mutating func apply(_ operation: BatchOperation) throws {
    try operation.checkNames()
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
      try take(.moveSection(from: section, to: index))
    case .invalidate(let layout, let items, let sections, let everything):
      try invalidate(layout, items: items, sections: sections, everything: everything)
    case .rebalance(let layout, let section, let key):
      try rebalance(layout, section: section, from: key)
    case .match(let sections, let missing):
      var list = MatchedList(sections)
      try match(&list, missing: missing)
    case .mark(let source, let position, _):
      try take(.mark(source: source, position: position))
    }
  }

  mutating func take(_ operation: ResolvedOperation) throws {
    switch operation {
    // No item moves, so a screenful of neighbours takes one search.
    case .changeItem(let run, _, _, _, _): finder.note(run)
    case .changeData, .changeStyle: break
    default: finder = ItemFinder()
    }
    try trees.apply(operation, in: session)
    resolved.append(operation)
    makesRevision = true
  }
}

// MARK: - Items

extension OperationResolver {
  mutating func insert(_ items: [Item], at destination: ItemDestination) throws {
    let place = try place(of: destination)
    guard !items.isEmpty else { return }
    var run = ItemRun()
    var keys: Set<ExactKey> = []
    for item in items {
      guard keys.insert(ExactKey(item.key)).inserted,
        try trees.itemIndex(ofKey: item.key, in: session) == nil
      else { throw OperationError.Reason.keyExists(item.key) }
      run.append(item)
    }
    try within(nil) {
      try Limits.check(trees.items.count + run.count, in: 0...Limits.itemsMax, as: "items")
    }
    try take(.insertItems(run, index: place.index, section: place.section))
  }

  private mutating func delete(_ keys: [String], missing: MissingKeys) throws {
    var places: [ItemPosition] = []
    var seen: Set<ExactKey> = []
    for key in keys {
      // The second time, the item no longer exists.
      let isFirst = seen.insert(ExactKey(key)).inserted
      guard let place = isFirst ? try finder.place(ofKey: key, in: trees, session) : nil else {
        if missing == .ignore { continue }
        throw OperationError.Reason.noSuchKey(key)
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
        .deleteItems(
          last.index..<(first.index + 1), section: first.section,
          removed: removed(last.number..<(first.number + 1))))
      start = end
    }
  }

  mutating func move(_ key: String, to destination: ItemDestination) throws {
    let old = try item(key)
    switch destination {
    case .before(let neighbour), .after(let neighbour):
      if ExactKey(neighbour) == ExactKey(key) {
        throw OperationError.Reason.relativeToItself(key)
      }
    case .end, .index:
      break
    }
    let new = try place(of: destination, without: old)
    if new.section == old.section && new.index == old.index { return }
    let number = old.number..<(old.number + 1)
    let run = ItemRun(
      try finder.run(at: old, in: trees, session), try trees.data.run(of: number, in: session))
    try take(.deleteItems(old.index..<(old.index + 1), section: old.section, removed: run))
    try take(.insertItems(run, index: new.index, section: new.section, isMove: true))
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
    try take(
      .changeItem(
        run, index: place.index, section: place.section, layout: nil, previous: previous))
  }

  mutating func changeData(of key: String, to data: ItemData?) throws {
    let place = try item(key)
    let previous = try trees.data.run(of: place.number..<(place.number + 1), in: session)
    var run = ItemDataRun()
    run.append(data)
    if run == previous { return }
    let isKept = keepsReplaced(previous.byteCount)
    try take(
      .changeData(
        run, key: key, index: place.index, section: place.section,
        previous: isKept ? previous : nil))
  }
}

// MARK: - Sections and layouts

extension OperationResolver {
  /// Returns the layout with a name, which has a result.
  func layout(_ name: String) throws -> NamedLayout {
    guard let layout = try findLayout(name) else {
      throw OperationError.Reason.noSuchLayout(name)
    }
    if layout.variants != nil { throw OperationError.Reason.variant(name, .sizeMissing) }
    return layout
  }

  /// Returns the layout with a name, or all variants of a responsive one.
  func layouts(_ name: String) throws -> [NamedLayout] {
    guard let layout = try findLayout(name) else {
      throw OperationError.Reason.noSuchLayout(name)
    }
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
      throw OperationError.Reason.sectionExists(key)
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
    try takeBackLengths(of: section)
    let style = try entry(of: section).style
    try take(
      .deleteSection(section, itemCount: items.count, removed: removed(items), style: style))
  }
}
