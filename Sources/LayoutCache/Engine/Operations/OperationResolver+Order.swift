import LayoutGeometry
import SumTree

// Operations on sorted datasets. While one is resolved, the items are in order before and after
// each resolved operation, so that places can be searched for.

extension ItemDestination {
  /// The section at whose end items are inserted.
  var section: String? { if case .end(let section) = self { section } else { nil } }
}

extension OperationResolver {
  /// Rejects an operation that gives items or derived sections a place.
  func check(_ operation: BatchOperation, _ order: DatasetOrder) throws {
    let derives = order.sections != nil
    switch operation {
    case .insert(_, let destination):
      try check(destination)
      if derives && destination.section != nil { throw BatchError.sorted("section") }
      if !derives && destination.section == nil { throw BatchError.needsSection }
    case .upsert(_, let section, let moving):
      if derives && section != nil { throw BatchError.sorted("section") }
      if !derives && section == nil { throw BatchError.needsSection }
      if derives && moving { throw BatchError.sorted("move") }
    case .move(_, let destination):
      try check(destination)
      if derives { throw BatchError.sorted("move") }
    case .insertSection where derives: throw BatchError.sorted("insertSection")
    case .moveSection where derives: throw BatchError.sorted("moveSection")
    default: break
    }
  }

  private func check(_ destination: ItemDestination) throws {
    switch destination {
    case .end, .ordered: break
    case .index: throw BatchError.sorted("index")
    case .before: throw BatchError.sorted("before")
    case .after: throw BatchError.sorted("after")
    }
  }

  /// Inserts items.
  ///
  /// - Parameter key: Their section, unless sections are derived.
  /// - Complexity: O(items · log items); items that become neighbours are inserted together.
  mutating func insert(
    _ items: [Item], into key: String?, by order: DatasetOrder
  ) throws {
    if let key { _ = try section(key) }
    try check(new: items)
    var ordered = items.map { item in
      (
        section: key ?? order.sectionKey(of: item.data), item: item,
        rank: order.rank(ofKey: item.key, item.data)
      )
    }
    ordered.sort { $0.rank < $1.rank }
    let bySection = Dictionary(grouping: ordered) { ExactKey($0.section) }
    for (key, items) in bySection.sorted(by: { $0.value[0].rank < $1.value[0].rank }) {
      let section = try orderedSection(key.string, order)
      var next = 0
      while next < items.count {
        let range = try trees.items(ofSection: section.index, in: session)
        let place = try trees.place(of: items[next].rank, in: range, by: order, session)
        var (run, end) = (ItemRun(), items.count)
        if place < range.upperBound {
          let neighbour = try trees.rank(ofItem: place, by: order, session)
          end = items[next...].firstIndex { neighbour < $0.rank } ?? items.count
        }
        for item in items[next..<end] { run.append(item.item) }
        try take(.insert(run, at: place - range.lowerBound, of: section))
        next = end
      }
    }
  }

  /// Appends new items to a section, or places them by the dataset's order.
  ///
  /// - Parameter key: `nil` if sections are derived.
  mutating func append(_ run: ItemRun, toSection key: String?) throws {
    if let order = trees.order {
      let items = run.data.items.enumerated().map { run.items.item(at: $0, data: $1) }
      return try insert(items, into: key, by: order)
    }
    guard let key else { throw BatchError.needsSection }
    let section = try section(key)
    let end = try trees.items(ofSection: section.index, in: session).count
    try take(.insert(run, at: end, of: section))
  }

  /// Inserts the items of an upsert that do not exist, and moves others to its section.
  mutating func place(
    _ items: [UpsertedItem], inSection key: String?, style: String?, moving: Bool,
    by order: DatasetOrder
  ) throws {
    var new: [Item] = []
    for item in items {
      if try finder.place(ofKey: item.key, in: trees, session) == nil {
        new.append(item.new)
      } else if moving, let key {
        try makeSection(key, style: style)
        try move(item.key, toSection: key, by: order)
      }
    }
    if new.isEmpty { return }
    if let key { try makeSection(key, style: style) }
    try insert(new, into: key, by: order)
  }

  /// Moves an item to another section.
  mutating func move(_ key: String, toSection target: String, by order: DatasetOrder) throws {
    let place = try item(key)
    let data = try trees.data.data(ofItem: place.number, in: session)
    try move(key, to: section(target), order.rank(ofKey: key, data), by: order)
  }

  /// Moves an item to where it belongs with some data, which it does not have yet.
  mutating func place(_ key: String, with data: ItemData?, by order: DatasetOrder) throws {
    let old = try item(key).section
    let target = order.sections == nil ? old : try orderedSection(order.sectionKey(of: data), order)
    try move(key, to: target, order.rank(ofKey: key, data), by: order)
    if order.sections != nil { try deleteEmpty([section(old.key)]) }
  }

  private mutating func move(
    _ key: String, to section: SectionReference, _ rank: ItemRank, by order: DatasetOrder
  ) throws {
    let old = try item(key)
    let range = try trees.items(ofSection: section.index, in: session)
    var index = try trees.place(of: rank, in: range, by: order, session) - range.lowerBound
    if section == old.section {
      if old.index < index { index -= 1 }
      if old.index == index { return }
    }
    let run = ItemRun(
      try finder.run(at: old, in: trees, session),
      try trees.data.run(of: old.number..<(old.number + 1), in: session))
    try take(.move(run, from: (old.section, old.index), to: (section, index)))
  }

  /// Returns a section, which is inserted if it is derived and does not exist.
  private mutating func orderedSection(
    _ key: String, _ order: DatasetOrder
  ) throws -> SectionReference {
    if let derived = order.sections, try trees.sectionIndex(ofKey: key, in: session) == nil {
      try within(nil) { try Limits.check(name: key, as: "section key") }
      let index = try trees.place(ofSection: key, by: order, session)
      try insertSection(key, index: index, style: derived.style)
    }
    return try section(key)
  }

  /// Deletes those of some sections that have no items.
  mutating func deleteEmpty(_ sections: [SectionReference]) throws {
    for section in Set(sections).sorted(by: { $0.index > $1.index })
    where try trees.items(ofSection: section.index, in: session).isEmpty {
      try deleteSection(section.key, missing: .fail)
    }
  }
}
