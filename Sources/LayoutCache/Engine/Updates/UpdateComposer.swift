import CollectionLayout
import LayoutGeometry

/// Follows resolved operations, of one batch or of many, and says what they come to for the
/// lists of a client.
///
/// It needs neither the dataset before nor the one after: what it knows of the lists as they
/// were are their old indices. So it works for entries of the log, whoever has written them.
struct UpdateComposer: ~Copyable {
  /// A section that an operation has named; an object, so that its list of items is never
  /// copied.
  private final class Section {
    let key: String
    /// Where it was among the sections; `nil` for one that came.
    let old: Int?
    var hasMoved = false
    var items: EditedList<Item>

    init(key: String, old: Int?) {
      self.key = key
      self.old = old
      items = old == nil ? .new : .unchanged
    }
  }

  /// An item that an operation has named.
  private struct Item {
    var key: String
    /// Where it was; `nil` for one that came.
    var old: Origin?
    var hasMoved = false
    var hasChanged = false
  }

  /// An old place.
  fileprivate struct Origin: Hashable {
    var section: Int
    var item: Int
  }

  private var sections = EditedList<Section>.unchanged
  private var goneSections: [(old: Int, key: String)] = []
  private var goneItems: [ExactKey: Item] = [:]
  /// Whether an operation does not say all that it has changed.
  private var isUnknown = false

  /// Follows an operation.
  ///
  /// - Throws: For one that fits none of the lists there can be; the value is then of no
  ///   more use.
  mutating func append(_ operation: ResolvedOperation) throws(MisplacedOperation) {
    switch operation {
    case .insertItems(let run, let index, let section, let isMove):
      try insert(run, at: index, of: known(section), isMove: isMove)
    case .deleteItems(let range, let reference, let removed):
      let section = try known(reference)
      note(try section.items.replace(range, with: []), of: section.old, removed)
    case .changeItem(let run, let index, let reference, nil, _):
      try reload(run.key(at: 0), at: index, of: known(reference))
    case .changeData(_, let key, let index, let reference, _):
      try reload(key, at: index, of: known(reference))
    case .insertSection(let section):
      try sections.replace(
        section.index..<section.index, with: [Section(key: section.key, old: nil)])
    case .deleteSection(let reference, let itemCount, let removed):
      let section = try known(reference)
      try sections.replace(reference.index..<(reference.index + 1), with: [])
      if let old = section.old { goneSections.append((old, section.key)) }
      note(try section.items.replace(0..<itemCount, with: []), of: section.old, removed)
    case .moveSection(let reference, let target):
      let section = try known(reference)
      section.hasMoved = true
      try sections.replace(reference.index..<(reference.index + 1), with: [])
      try sections.replace(target..<target, with: [section])
    case .build: isUnknown = true
    case .changeItem, .changeSupplementary, .invalidateItems, .rebalance, .everything, .carryOn,
      .mark, .undo:
      break
    }
  }

  /// The section that an operation names.
  private mutating func known(
    _ section: SectionReference
  ) throws(MisplacedOperation) -> Section {
    var found: Section?
    try sections.change(section.index) {
      Section(key: section.key, old: $0)
    } _: {
      found = $0
    }
    guard let found else { preconditionFailure("what is changed is there") }
    return found
  }

  private mutating func reload(
    _ key: String, at index: Int, of section: Section
  ) throws(MisplacedOperation) {
    try section.items.change(index) { old in
      Item(key: key, old: section.old.map { Origin(section: $0, item: old) })
    } _: {
      $0.hasChanged = true
    }
  }

  /// - Parameter isMove: Whether the items are as they were when they were taken out.
  private mutating func insert(
    _ run: ItemRun, at index: Int, of section: Section, isMove: Bool
  ) throws(MisplacedOperation) {
    var items: [Item] = []
    items.reserveCapacity(run.count)
    for number in 0..<run.count {
      let key = run.key(at: number)
      // Most batches take nothing out, and hashing a key takes as long as all else here.
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

  /// Notes items that go, should they come again.
  ///
  /// - Parameters:
  ///   - section: Where those were that no operation has named before; `nil` for none.
  ///   - removed: All of them, in order; `nil` where the log does not hold them.
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
          isUnknown = true
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
  /// The resulting changes.
  ///
  /// - Complexity: O(what they have named · log of it).
  consuming func finish() -> DatasetUpdates {
    if isUnknown { return .everything }
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
        DatasetUpdates.Item(
          operation: .delete, key: $0.key, before: IndexPath($0.old), after: nil)
      }
    var reloads: [DatasetUpdates.Item] = []
    let stayed = Self.stayed(sections, old: \.old, hasMoved: \.hasMoved)
    sections.forEachStretch { index, run in
      guard case .entry(let section) = run else { return }
      if section.old == nil || section.hasMoved && !stayed.contains(index) {
        updates.sections.append(
          DatasetUpdates.Section(key: section.key, before: section.old, after: index))
      }
      Self.append(section, at: index, to: &updates.items, &reloads)
    }
    updates.items += reloads
    return updates
  }

  private typealias IndexPath = LayoutAttributes.IndexPath

  /// Appends what happened to a section's items.
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
        // A section that came is met as a whole.
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

  /// The indices of entries that were taken out and put back, and are where they stood
  /// among those that never moved.
  ///
  /// - Parameter old: The old index of an entry of the same list; `nil` for others.
  private static func stayed<Entry>(
    _ list: EditedList<Entry>, old: (Entry) -> Int?, hasMoved: (Entry) -> Bool
  ) -> Set<Int> {
    var moved: [(index: Int, old: Int)] = []
    var stayed: Set<Int> = []
    // What has passed, and those moved since, until something that never moved comes.
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
  /// The batch's changes of its dataset's lists.
  ///
  /// - Throws: Where the operations fit no lists.
  /// - Complexity: O(items that it names · log of them).
  func updates() throws(MisplacedOperation) -> DatasetUpdates {
    var composer = UpdateComposer()
    for operation in operations { try composer.append(operation) }
    return composer.finish()
  }
}
