import CollectionLayout
import LayoutGeometry
import LayoutStore

/// A composer of resolved operations, from one or more batches, into the resulting changes of a
/// client's lists.
///
/// It needs neither the dataset before nor the one after: it knows the old lists only by their
/// indices. So it works for entries of the log from any process.
struct UpdateComposer: ~Copyable {
  /// A section named by an operation; an object, so that its list of items is never copied.
  private final class Section {
    let key: String
    /// The old index of the section; `nil` for an inserted one.
    let old: Int?
    var hasMoved = false
    /// The change of the section's style; `nil` if no operation names it.
    var style: (old: String?, new: String?)?
    var items: EditedList<Item>

    init(key: String, old: Int?) {
      self.key = key
      self.old = old
      items = old == nil ? .new : .unchanged
    }
  }

  /// An item named by an operation.
  private struct Item {
    var key: String
    /// The old position of the item; `nil` for an inserted one.
    var old: Origin?
    var hasMoved = false
    var hasChanged = false
  }

  /// An old position.
  fileprivate struct Origin: Hashable {
    var section: Int
    var item: Int
  }

  private var sections = EditedList<Section>.unchanged
  private var goneSections: [(old: Int, key: String)] = []
  private var goneItems: [ExactKey: Item] = [:]
  /// The reason why an operation does not contain everything that it changed; `nil` if all do.
  private var reason: InvalidationReason?

  /// Adds a batch.
  ///
  /// - Throws: If an operation fits no possible lists; the composer is then unusable.
  mutating func append(_ batch: LoggedBatch) throws(Damage) {
    if batch.kind == .build { reason = .imported }
    for operation in batch.operations {
      switch operation {
      case .items(let splice): try append(splice)
      case .sections(let splice): try append(splice)
      case .note: break
      }
    }
  }

  private mutating func append(_ splice: ItemSplice) throws(Damage) {
    let (before, after) = (splice.before, splice.after)
    guard splice.aspect == .place else {
      guard splice.layout == nil, let run = after.run else { return }
      let section = try known(after.section)
      for index in 0..<run.count {
        try reload(run.key(at: index), at: after.index + index, of: section)
      }
      return
    }
    if before.count > 0 {
      let section = try known(before.section)
      note(try section.items.replace(before.range, with: []), of: section.old, before.run)
    }
    if let run = after.run {
      try insert(run, at: after.index, of: known(after.section), isMove: splice.isMove)
    }
  }

  private mutating func append(_ splice: SectionSplice) throws(Damage) {
    guard let before = splice.before else {
      guard let after = splice.after else { return }
      let section = Section(key: after.entry.key, old: nil)
      try sections.replace(after.index..<after.index, with: [section])
      if let run = splice.items { try insert(run, at: 0, of: section, isMove: false) }
      return
    }
    if let after = splice.after, !splice.isMove {
      guard splice.isRestyle else { return }
      let section = try known(before.reference)
      section.style = (section.style.map(\.old) ?? before.entry.style, after.entry.style)
      return
    }
    let section = try known(before.reference)
    try sections.replace(before.index..<(before.index + 1), with: [])
    guard let after = splice.after else {
      if let old = section.old { goneSections.append((old, section.key)) }
      let removed = try section.items.replace(0..<before.entry.itemCount, with: [])
      return note(removed, of: section.old, splice.items)
    }
    section.hasMoved = true
    try sections.replace(after.index..<after.index, with: [section])
  }

  /// Returns the section named by an operation.
  private mutating func known(
    _ section: SectionReference
  ) throws(Damage) -> Section {
    var found: Section?
    try sections.change(section.index) {
      Section(key: section.key, old: $0)
    } _: {
      found = $0
    }
    guard let found else { preconditionFailure("a changed element exists") }
    return found
  }

  private mutating func reload(
    _ key: String, at index: Int, of section: Section
  ) throws(Damage) {
    try section.items.change(index) { old in
      Item(key: key, old: section.old.map { Origin(section: $0, item: old) })
    } _: {
      $0.hasChanged = true
    }
  }

  /// - Parameter isMove: Whether the items are unchanged since their removal.
  private mutating func insert(
    _ run: ItemRun, at index: Int, of section: Section, isMove: Bool
  ) throws(Damage) {
    var items: [Item] = []
    items.reserveCapacity(run.count)
    for number in 0..<run.count {
      let key = run.key(at: number)
      // Most batches remove nothing, and hashing a key takes as long as everything else here.
      guard !goneItems.isEmpty, var item = goneItems.removeValue(forKey: ExactKey(key)) else {
        items.append(Item(key: key, old: nil))
        continue
      }
      item.hasMoved = true
      if !isMove { item.hasChanged = true }
      items.append(item)
    }
    try section.items.replace(index..<index, with: items)
  }

  /// Records removed items, in case they are inserted again.
  ///
  /// - Parameters:
  ///   - section: The old index of the section, for items that no operation has named before;
  ///     `nil` for a new section.
  ///   - removed: All removed items, in order; `nil` if the log does not contain them.
  private mutating func note(
    _ runs: [EditedList<Item>.Stretch], of section: Int?, _ removed: ItemRun?
  ) {
    var number = 0
    for run in runs {
      switch run {
      case .entry(let item):
        if item.old != nil { goneItems[ExactKey(item.key)] = item }
      case .kept(let range):
        guard let section, let removed else {
          reason = .tooLarge
          return
        }
        for (offset, old) in range.enumerated() {
          let key = removed.key(at: number + offset)
          goneItems[ExactKey(key)] = Item(key: key, old: Origin(section: section, item: old))
        }
      }
      number += run.count
    }
  }
}

// MARK: - The result

extension UpdateComposer {
  /// Returns the resulting changes.
  ///
  /// - Complexity: O(n log n) for n named elements.
  consuming func finish() -> DatasetUpdates {
    if let reason { return .everything(reason) }
    var updates = DatasetUpdates()
    let goneOld = Set(goneSections.map(\.old))
    updates.sections = goneSections.sorted { $0.old > $1.old }.map {
      DatasetUpdates.Section(key: $0.key, before: $0.old, after: nil)
    }
    updates.items = goneItems.values
      .compactMap { item in
        item.old.flatMap { goneOld.contains($0.section) ? nil : (old: $0, key: item.key) }
      }
      .sorted { ($0.old.section, $0.old.item) > ($1.old.section, $1.old.item) }
      .map {
        DatasetUpdates.Item(operation: .delete, key: $0.key, before: IndexPath($0.old), after: nil)
      }
    var reloads: [DatasetUpdates.Item] = []
    var restyled: [DatasetUpdates.Section] = []
    let stayed = Self.stayed(sections, old: \.old, hasMoved: \.hasMoved)
    sections.forEachStretch { index, run in
      guard case .entry(let section) = run else { return }
      if section.old == nil || section.hasMoved && !stayed.contains(index) {
        updates.sections.append(
          DatasetUpdates.Section(key: section.key, before: section.old, after: index))
      }
      if section.old != nil, let style = section.style,
        style.old.map(ExactKey.init) != style.new.map(ExactKey.init)
      {
        restyled.append(DatasetUpdates.Section(reloading: section.key, at: index))
      }
      Self.append(section, at: index, to: &updates.items, &reloads)
    }
    updates.sections += restyled
    updates.items += reloads
    return updates
  }

  private typealias IndexPath = LayoutAttributes.IndexPath

  /// Appends the changes of a section's items.
  private static func append(
    _ section: Section, at index: Int, to items: inout [DatasetUpdates.Item],
    _ reloads: inout [DatasetUpdates.Item]
  ) {
    let stayed = stayed(
      section.items, old: { $0.old?.section == section.old ? $0.old?.item : nil },
      hasMoved: \.hasMoved)
    section.items.forEachStretch { number, run in
      guard case .entry(let item) = run else { return }
      let after = IndexPath(section: index, item: number)
      guard let old = item.old else {
        // An inserted section is reported as a whole.
        if section.old != nil {
          items.append(
            DatasetUpdates.Item(operation: .insert, key: item.key, before: nil, after: after))
        }
        return
      }
      if old.section != section.old || item.hasMoved && !stayed.contains(number) {
        items.append(
          DatasetUpdates.Item(
            operation: .move, key: item.key, before: IndexPath(old), after: after))
      }
      if item.hasChanged {
        reloads.append(
          DatasetUpdates.Item(operation: .reload, key: item.key, before: nil, after: after))
      }
    }
  }

  /// Returns the indices of entries that were removed and inserted again in their old position
  /// relative to the entries that never moved.
  ///
  /// - Parameter old: The old index of an entry of the same list; `nil` for others.
  private static func stayed<Entry>(
    _ list: EditedList<Entry>, old: (Entry) -> Int?, hasMoved: (Entry) -> Bool
  ) -> Set<Int> {
    var moved: [(index: Int, old: Int)] = []
    var stayed: Set<Int> = []
    // The old index of the last entry in place; moved entries wait for the next entry that never
    // moved.
    var last = -1
    func settle(upTo next: Int) {
      for entry in moved where entry.old > last && entry.old < next {
        stayed.insert(entry.index)
        last = entry.old
      }
      moved = []
    }
    list.forEachStretch { index, run in
      switch run {
      case .kept(let range):
        settle(upTo: range.lowerBound)
        last = range.upperBound - 1
      case .entry(let entry):
        guard let place = old(entry) else { return }
        if hasMoved(entry) {
          moved.append((index, place))
        } else {
          settle(upTo: place)
          last = place
        }
      }
    }
    settle(upTo: .max)
    return stayed
  }
}

extension LayoutAttributes.IndexPath {
  fileprivate init(_ origin: UpdateComposer.Origin) {
    self.init(section: origin.section, item: origin.item)
  }
}

extension LoggedBatch {
  /// Returns the batch's changes of its dataset's lists.
  ///
  /// - Throws: If the operations fit no possible lists.
  /// - Complexity: O(n log n) for n named items.
  func updates() throws(Damage) -> DatasetUpdates {
    // The usual batch takes no composer.
    if operations.count == 1, case .items(let splice) = operations[0], splice.aspect != .place {
      return DatasetUpdates(reloadedBy: splice)
    }
    var composer = UpdateComposer()
    try composer.append(self)
    return composer.finish()
  }
}

extension DatasetUpdates {
  /// Creates the changes by an operation that leaves items at their places.
  fileprivate init(reloadedBy splice: ItemSplice) {
    self.init()
    guard splice.layout == nil, let run = splice.after.run else { return }
    items = (0..<run.count).map { number in
      Item(
        operation: .reload, key: run.key(at: number), before: nil,
        after: LayoutAttributes.IndexPath(
          section: splice.after.section.index, item: splice.after.index + number))
    }
  }
}

extension StoreReader {
  /// Returns the changes that the entries of a log make to a dataset's lists.
  ///
  /// - Parameters:
  ///   - revision: The revision after which entries are considered.
  ///   - head: The log's head, or its head at an earlier revision; `nil` if the log lacks that.
  ///   - operationsMax: The maximum number of operations to examine.
  ///   - body: Also receives the contexts of each commit.
  /// - Returns: The changes; `everything` if there are more operations, the log does not reach back
  ///   that far, or an entry is damaged.
  /// - Complexity: O(operations · log operations) time, O(named elements) memory.
  func updates(
    since revision: Int, upTo head: @autoclosure () throws -> LogHead?, operationsMax: Int,
    _ body: (LoggedContexts) -> Void = { _ in }
  ) throws -> DatasetUpdates {
    do {
      guard let head = try head(), let extent = try logExtent(after: revision, upTo: head)
      else { return .everything(.logCut) }
      if extent.operations > operationsMax { return .everything(.tooLarge) }
      var composer = UpdateComposer()
      try forEachLogRow(after: revision, upTo: head) { row in
        try composer.append(LoggedBatch(row, path: path))
        body(LoggedContexts(row))
      }
      return composer.finish()
    } catch  where error is Damage || (error as? StoreError)?.isCorrupt ?? false {
      return .everything(.logCut)
    }
  }
}
