import LayoutGeometry
import LayoutStore
import SumTree

/// Looks up what a batch names, and carries the batch out on a dataset's trees as
/// it goes: each operation sees the result of those before it.
struct OperationResolver {
  private(set) var trees: DatasetTrees
  private(set) var resolved: [ResolvedOperation] = []
  private let session: TreeSession
  /// The id of the dataset's layout with a name.
  private let layoutID: (String) throws -> Int64?

  init(
    _ trees: DatasetTrees, in session: TreeSession,
    layoutID: @escaping (String) throws -> Int64?
  ) {
    self.trees = trees
    self.session = session
    self.layoutID = layoutID
  }

  /// Resolves a batch and carries it out.
  ///
  /// - Throws: ``LayoutCacheError`` with `refused`; the value is then of no more use.
  mutating func apply(_ operations: [BatchOperation]) throws {
    for (index, operation) in operations.enumerated() {
      do {
        try apply(operation)
      } catch let reason as RefusedOperation.Reason {
        throw LayoutCacheError(.refused(RefusedOperation(number: index + 1, reason: reason)))
      }
    }
  }

  private mutating func apply(_ operation: BatchOperation) throws {
    switch operation {
    case .insert(let items, let destination):
      try insert(items, at: destination)
    case .delete(let keys):
      try delete(keys)
    case .move(let key, let destination):
      try move(key, to: destination)
    case .resize(let key, let size, let columnSpan):
      try resize(key, to: size, columnSpan: columnSpan)
    case .prefer(let layout, let key, let length):
      try prefer(length, key: key, layout: layout)
    case .insertSection(let key, let index):
      try insertSection(key, index: index)
    case .deleteSection(let key):
      let section = try section(key)
      let count = try trees.items(ofSection: section.index, in: session).count
      try take(.deleteSection(section, itemCount: count))
    case .moveSection(let key, let index):
      let section = try section(key)
      try check(index, count: trees.sections.count - 1)
      try take(.moveSection(from: section, to: index))
    case .invalidate(let layout, let items, let sections, let everything):
      try invalidate(layout, items: items, sections: sections, everything: everything)
    case .rebalance(let layout, let section, let key):
      try rebalance(layout, section: section, from: key)
    }
  }

  private mutating func take(_ operation: ResolvedOperation) throws {
    try trees.apply(operation, in: session)
    resolved.append(operation)
  }
}

// MARK: - Items

extension OperationResolver {
  private mutating func insert(_ items: [Item], at destination: ItemDestination) throws {
    let place = try place(of: destination)
    guard !items.isEmpty else { return }
    var run = ItemLeaf()
    var keys: Set<ExactKey> = []
    for item in items {
      guard keys.insert(ExactKey(item.key)).inserted,
        try trees.itemIndex(ofKey: item.key, in: session) == nil
      else { throw RefusedOperation.Reason.keyExists(item.key) }
      run.append(item)
    }
    try within(nil) {
      try Limits.check(trees.items.count + run.count, in: 0...Limits.itemsMax, as: "items")
    }
    try take(.insertItems(run, index: place.index, section: place.section))
  }

  private mutating func delete(_ keys: [String]) throws {
    var places: [ItemPlace] = []
    var seen: Set<ExactKey> = []
    for key in keys {
      // The second time there is no such item any more.
      guard seen.insert(ExactKey(key)).inserted else {
        throw RefusedOperation.Reason.noSuchKey(key)
      }
      places.append(try item(key))
    }
    // From the last to the first, so that a deletion moves none of those to come;
    // neighbours go together.
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
      try take(
        .deleteItems(places[end - 1].index..<(first.index + 1), section: first.section))
      start = end
    }
  }

  private mutating func move(_ key: String, to destination: ItemDestination) throws {
    let old = try item(key)
    switch destination {
    case .before(let neighbour), .after(let neighbour):
      if ExactKey(neighbour) == ExactKey(key) {
        throw RefusedOperation.Reason.besideItself(key)
      }
    case .end, .index:
      break
    }
    let run = try run(at: old)
    try take(.deleteItems(old.index..<(old.index + 1), section: old.section))
    let new = try place(of: destination)
    try take(.insertItems(run, index: new.index, section: new.section))
  }

  private mutating func resize(_ key: String, to size: Size, columnSpan: Int?) throws {
    let place = try item(key)
    try within(key) {
      try Limits.check(naturalSize: size)
      if let columnSpan {
        try Limits.check(columnSpan, in: 0...Limits.columnSpanMax, as: "span")
      }
    }
    var run = try self.run(at: place)
    run.resize(at: 0, to: size, columnSpan: columnSpan ?? run.columnSpan(at: 0))
    try take(.changeItem(run, index: place.index, section: place.section, layout: nil))
  }

  private mutating func prefer(_ length: Length?, key: String, layout: String) throws {
    let layout = try self.layout(layout)
    let place = try item(key)
    try within(key) {
      if let length { try Limits.check(naturalSide: length, as: "length") }
    }
    var run = try self.run(at: place)
    run.prefer(length, at: 0, layout: layout)
    try take(.changeItem(run, index: place.index, section: place.section, layout: layout))
  }

  /// The item at a place as a leaf of its own.
  private func run(at place: ItemPlace) throws -> ItemLeaf {
    let found = try trees.items.place(at: place.number, in: session)
    var run = found.leaf.slice(found.index..<(found.index + 1))
    run.label = 0
    return run
  }
}

// MARK: - Sections and layouts

extension OperationResolver {
  private mutating func insertSection(_ key: String, index: Int?) throws {
    try within(nil) { try Limits.check(name: key, as: "section key") }
    guard try trees.sectionIndex(ofKey: key, in: session) == nil else {
      throw RefusedOperation.Reason.sectionExists(key)
    }
    let index = index ?? trees.sections.count
    try check(index, count: trees.sections.count)
    try within(nil) {
      try Limits.check(trees.sections.count + 1, in: 0...Limits.sectionsMax, as: "sections")
    }
    try take(.insertSection(SectionReference(index: index, key: key)))
  }

  private mutating func invalidate(
    _ name: String, items: [String], sections: [String], everything: Bool
  ) throws {
    let layout = try self.layout(name)
    let places = try items.map { try item($0) }
    let references = try sections.map { try section($0) }
    // What is named must exist, even where everything is meant.
    if everything { return try take(.everything(layout: layout)) }
    for place in places {
      try take(
        .invalidateItems(
          place.index..<(place.index + 1), section: place.section, layout: layout))
    }
    for section in references {
      try take(.rebalance(from: 0, section: section, layout: layout))
    }
  }

  private mutating func rebalance(_ name: String, section key: String?, from item: String?) throws {
    let layout = try self.layout(name)
    if let item {
      let place = try self.item(item)
      if let key, ExactKey(key) != ExactKey(place.section.key) {
        _ = try section(key)
        throw RefusedOperation.Reason.notInSection(item, section: key)
      }
      return try take(.rebalance(from: place.index, section: place.section, layout: layout))
    }
    if let key {
      return try take(.rebalance(from: 0, section: try section(key), layout: layout))
    }
    var references: [SectionReference] = []
    try trees.sections.forEachLeaf(in: session) { leaf, start in
      for (index, entry) in leaf.entries.enumerated() where entry.itemCount > 0 {
        references.append(SectionReference(index: start + index, key: entry.key))
      }
    }
    for section in references { try take(.rebalance(from: 0, section: section, layout: layout)) }
  }
}

// MARK: - Lookups

/// A place of an item, or between two.
private struct ItemPlace {
  var section: SectionReference
  /// The item's number in its section.
  var index: Int
  /// The item's number, counted from the dataset's first.
  var number: Int
}

extension OperationResolver {
  private func place(
    of destination: ItemDestination
  ) throws -> (section: SectionReference, index: Int) {
    switch destination {
    case .end(let key):
      let section = try section(key)
      return (section, try trees.items(ofSection: section.index, in: session).count)
    case .index(let index, let key):
      let section = try section(key)
      try check(index, count: try trees.items(ofSection: section.index, in: session).count)
      return (section, index)
    case .before(let key):
      let place = try item(key)
      return (place.section, place.index)
    case .after(let key):
      let place = try item(key)
      return (place.section, place.index + 1)
    }
  }

  private func item(_ key: String) throws -> ItemPlace {
    guard let number = try trees.itemIndex(ofKey: key, in: session),
      let place = try trees.place(ofItem: number, in: session)
    else { throw RefusedOperation.Reason.noSuchKey(key) }
    return ItemPlace(section: place.section, index: place.item, number: number)
  }

  private func section(_ key: String) throws -> SectionReference {
    guard let index = try trees.sectionIndex(ofKey: key, in: session) else {
      throw RefusedOperation.Reason.noSuchSection(key)
    }
    return SectionReference(index: index, key: key)
  }

  private func layout(_ name: String) throws -> Int64 {
    guard let id = try layoutID(name) else { throw RefusedOperation.Reason.noSuchLayout(name) }
    return id
  }

  private func check(_ index: Int, count: Int) throws {
    guard (0...max(count, 0)).contains(index) else {
      throw RefusedOperation.Reason.indexOutOfRange(index, count: count)
    }
  }

  private func within(_ key: String?, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as LimitError {
      throw RefusedOperation.Reason.limit(error, key: key)
    }
  }
}
