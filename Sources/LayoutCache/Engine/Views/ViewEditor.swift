import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// The items and sections that some commits concern.
struct ConcernedItems {
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
  /// Parts of a layout that are displayed again.
  struct Invalidation {
    var layout: Int64
    /// The key of their section; `nil` for elements of the layout.
    var section: String?
    /// The places of items, if no other item has changed since; `nil` for all items.
    var places: Range<Int>?
    /// The kinds of elements, instead of items.
    var kinds: [CustomElement.Kind]?
  }

  private(set) var invalidations: [Invalidation] = []
  /// The new measured lengths of layouts' headers and footers.
  private(set) var lengths: [Int64: SupplementaryLengths] = [:]
  /// Whether other items may have changed, too.
  private(set) var areUnknown = false
  /// Whether the order and the properties of sections matter.
  private let ofSections: Bool

  init(ofSections: Bool) { self.ofSections = ofSections }

  /// - Parameter isLast: Whether no batch follows.
  mutating func add(_ batch: LoggedBatch, isLast: Bool) {
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
      case .note(.invalidate(let places, let section), let layout):
        invalidations.append(
          Invalidation(
            layout: layout, section: section.key,
            places: isLast && batch.hasOnlyNotes ? places : nil))
      case .note(.invalidateElements(let kinds, let section), let layout):
        invalidations.append(Invalidation(layout: layout, section: section?.key, kinds: kinds))
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

/// An editor of a view's items.
struct ViewEditor {
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

  /// Displays the same parts of the view again, perhaps with others of their section.
  mutating func invalidate(_ invalidation: ConcernedItems.Invalidation) throws {
    var section: SectionReference?
    if let key = invalidation.section {
      let own = view.hasSections ? key : ViewItems.section
      guard let index = try trees.sectionIndex(ofKey: own, in: self.own) else { return }
      section = SectionReference(index: index, key: own)
    }
    let layout = invalidation.layout
    if let kinds = invalidation.kinds {
      return try take(.note(.invalidateElements(kinds, section: section), layout: layout))
    }
    guard let section else { return }
    // Places are those of items that are not collapsed.
    guard let places = invalidation.places, base.items.summary.collapsedCount == 0,
      let key = invalidation.section, let index = try base.sectionIndex(ofKey: key, in: session)
    else {
      let all = 0..<(try self.section(section.index).itemCount)
      return try take(.note(.invalidate(all, section: section), layout: layout))
    }
    let start = try base.items(ofSection: index, in: session).lowerBound
    try base.forEachRun(of: (start + places.lowerBound)..<(start + places.upperBound), in: session)
    {
      for index in 0..<$0.count {
        guard let number = try trees.itemIndex(ofKey: $0.key(at: index), in: own) else { continue }
        let (section, place) = try place(number)
        try take(.note(.invalidate(place..<(place + 1), section: section), layout: layout))
      }
    }
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
