import LayoutGeometry
import SumTree

// A list is resolved into existing operations: the log and its followers do not know lists.

extension OperationResolver {
  /// Changes the sections and items to those of a list.
  ///
  /// Items that stay in their section and belong to a longest increasing subsequence are not
  /// moved; the same applies to sections. Marks and measured lengths stay, except the lengths of
  /// an item whose natural size changes.
  ///
  /// - Throws: ``BatchError`` with `duplicateKey`, `sectionTwice`, `limit`;
  ///   `LimitError` if the changes exceed the limits of a batch.
  /// - Complexity: A pass over the dataset's sections and the list, with a lookup for each item
  ///   that is not the neighbour of the previous one; O(log items) nodes for each change.
  mutating func match<List: TargetList>(_ list: inout List, missing: MissingItems) throws {
    if let order = trees.order {
      var sorted = try ItemSorter(
        &list, by: order, adding: missing == .keep ? trees : nil, in: session)
      try matchInOrder(&sorted, missing: missing)
      if order.sections == nil { return }
      var empty: [SectionReference] = []
      try trees.sections.forEachLeaf(in: session) { leaf, start in
        for (index, entry) in leaf.entries.enumerated() where entry.itemCount == 0 {
          empty.append(SectionReference(index: start + index, key: entry.key))
        }
      }
      return try deleteEmpty(empty)
    }
    try matchInOrder(&list, missing: missing)
  }

  private mutating func matchInOrder<List: TargetList>(
    _ list: inout List, missing: MissingItems
  ) throws {
    var keys: Set<ExactKey> = []
    for key in list.sectionKeys where !keys.insert(ExactKey(key)).inserted {
      throw BatchError.sectionTwice(key)
    }
    keys = []
    let base = trees
    let session = session
    var size = MatchSize()
    var new = Array(repeating: NewItems(), count: list.sectionKeys.count)
    var changed: [(item: Item, hasOtherData: Bool)] = []
    var data = ItemDataFinger(base.data, in: session)
    // Sizes, spans, visibilities and data first: they do not depend on positions.
    let difference = try ListDifference(
      from: base, to: &list, missing: missing, in: session
    ) { listed, section, place, finder in
      guard let place else {
        let item = listed.item
        if !keys.insert(ExactKey(item.key)).inserted {
          throw BatchError.duplicateKey(item.key)
        }
        try size.add(item)
        return new[section].append(item)
      }
      let shape = try finder.shape(at: place, in: base, session)
      let hasOtherData = try data.data(ofItem: place.number) != listed.data
      if shape == (listed.size, listed.columnSpan, listed.visibility), !hasOtherData { return }
      let item = listed.item
      try size.add(item)
      changed.append((item, hasOtherData))
    }
    for (item, hasOtherData) in changed {
      try resize(item.key, to: item.size, columnSpan: item.columnSpan)
      try show(item.key, item.visibility)
      if hasOtherData { try setData(of: item.key, to: item.data) }
    }
    try moveSections(to: difference, list)
    for section in difference.sections { try removeItems(of: section, difference) }
    for section in difference.sections {
      try moveItems(
        of: section, new: section.listed.map { new[$0] } ?? NewItems(), base, &size)
    }
    for section in difference.goneSections.reversed() {
      try deleteSection(section.key, missing: .fail)
    }
  }

  /// Orders the sections that stay, and inserts the new ones.
  private mutating func moveSections(
    to difference: ListDifference, _ list: some TargetList
  ) throws {
    let old = difference.sections.compactMap(\.old)
    let staying = Set(longestIncreasingSubsequence(of: old).map { old[$0] })
    var previous: String?
    for section in difference.sections {
      defer { previous = section.key }
      let style = section.listed.flatMap { list.style(ofSection: $0) }
      // A derived section has the style that it was given.
      if section.old != nil, section.listed != nil, trees.order?.sections == nil {
        try restyle(self.section(section.key), to: style)
      }
      if let old = section.old, staying.contains(old) { continue }
      var index = 0
      if let previous { index = try self.section(previous).index + 1 }
      guard section.old != nil else {
        try insertSection(section.key, index: index, style: style)
        continue
      }
      let reference = try self.section(section.key)
      if reference.index < index { index -= 1 }
      if reference.index != index { try take(moving(reference, to: index)) }
    }
  }

  /// Removes the items of a section that the list lacks.
  private mutating func removeItems(
    of section: ListDifference.Section, _ difference: ListDifference
  ) throws {
    let runs = difference.goneItems(of: section)
    if runs.isEmpty { return }
    let reference = try self.section(section.key)
    let start = try trees.items(ofSection: reference.index, in: session).lowerBound
    // From the last to the first, so that removals do not change later positions.
    for run in runs.reversed() {
      let first = run.lowerBound - section.oldItems.lowerBound
      let range = first..<(first + run.count)
      let removed = try removed((start + first)..<(start + range.upperBound))
      try take(.delete(range, of: reference, removed: removed))
    }
  }

  /// Orders a section's items from the first to the last: each item that does not stay is moved
  /// after its predecessor.
  private mutating func moveItems(
    of section: ListDifference.Section, new: NewItems, _ base: DatasetTrees, _ size: inout MatchSize
  ) throws {
    let own = section.items.indices.filter { section.oldItems.contains(section.items[$0]) }
    let staying = longestIncreasingSubsequence(of: own.map { section.items[$0] }).map { own[$0] }
    var next = staying.startIndex
    var index = 0
    while index < section.items.count {
      if next < staying.endIndex, staying[next] == index {
        next += 1
        index += 1
        continue
      }
      let destination: ItemDestination =
        index == 0
        ? .index(0, section: section.key)
        : .after(try key(of: section.items[index - 1], new: new, base))
      let item = section.items[index]
      if item >= 0 {
        let key = try key(of: item, new: new, base)
        try size.addMove(ofKey: key)
        try move(key, to: destination)
        index += 1
        continue
      }
      var end = index + 1
      while end < section.items.count, section.items[end] < 0 { end += 1 }
      // New items have consecutive numbers.
      let run = new.run(~item..<(~item + end - index))
      try within(nil) {
        try Limits.check(trees.items.count + run.count, in: 0...Limits.itemsMax, as: "items")
      }
      let place = try place(of: destination)
      try take(.insert(run, at: place.index, of: place.section))
      index = end
    }
  }

  private func key(of item: Int, new: NewItems, _ base: DatasetTrees) throws -> String {
    if item < 0 { return new.key(at: ~item) }
    let (leaf, start) = try base.items.leaf(containing: item, in: session)
    return leaf.key(at: item - start)
  }
}

/// The items of a section that the dataset lacks.
private struct NewItems {
  private var items = ItemLeaf()
  private var data: [ItemData?] = []

  mutating func append(_ item: Item) {
    items.append(item)
    data.append(item.data)
  }

  func key(at index: Int) -> String { items.key(at: index) }

  func run(_ range: Range<Int>) -> ItemRun {
    var run = ItemDataRun()
    for data in data[range] { run.append(data) }
    return ItemRun(items.slice(range), run)
  }
}

/// A lower bound on the bytes in the log for the changes of a list, so that a difference too
/// large for a batch is detected early.
private struct MatchSize {
  private var byteCount = 0

  mutating func add(_ item: Item) throws {
    try add(item.key.utf8.count + 4 + (item.data?.json.utf8.count ?? 0))
  }

  /// Adds a move, which removes the item and inserts it again.
  mutating func addMove(ofKey key: String) throws { try add(2 * (key.utf8.count + 8)) }

  private mutating func add(_ count: Int) throws {
    byteCount += count
    if byteCount > Limits.batchBytesMax {
      throw LayoutCacheError(tooLongBatch: byteCount)
    }
  }
}

/// The sections of a `match` operation.
struct MatchedList: TargetList {
  private let sections: [MatchedSection]

  init(_ sections: [MatchedSection]) { self.sections = sections }

  var sectionKeys: [String] { sections.map(\.key) }

  func style(ofSection section: Int) -> String? { sections[section].style }

  func forEachItemRun(ofSection section: Int, _ body: (ItemRun) throws -> Void) throws {
    var run = ItemRun()
    for item in sections[section].items { run.append(item) }
    try body(run)
  }
}

extension ImportedItems: TargetList {
  mutating func forEachItemRun(
    ofSection section: Int, _ body: (ItemRun) throws -> Void
  ) throws {
    try forEachRun(ofSection: section) { try body($0.items) }
  }
}

extension ItemSorter: TargetList {
  /// Sorts a list.
  ///
  /// - Parameter trees: The dataset whose items are added unless the list has them: all if sections
  ///   are derived, otherwise those of its sections. `nil` for none.
  init<List: TargetList>(
    _ list: inout List, by order: DatasetOrder, adding trees: DatasetTrees?,
    in session: TreeSession
  ) throws {
    self.init(by: order, memoryBytesMax: Budgets.sortBytes)
    var listed: Set<ExactKey> = []
    for section in list.sectionKeys.indices {
      let key = list.sectionKeys[section]
      if order.sections == nil { try addSection(key, style: list.style(ofSection: section)) }
      try list.forEachItemRun(ofSection: section) { run in
        try append(run, section: key)
        if trees == nil { return }
        for index in 0..<run.count { listed.insert(ExactKey(run.key(at: index))) }
      }
    }
    if let trees {
      var start = 0
      try trees.sections.forEachLeaf(in: session) { leaf, _ in
        for entry in leaf.entries {
          let range = start..<(start + entry.itemCount)
          start = range.upperBound
          if order.sections == nil && number(ofSection: entry.key) == nil { continue }
          try trees.forEachRun(of: range, in: session) { run in
            try append(run, section: entry.key) { !listed.contains(ExactKey($0)) }
          }
        }
      }
    }
    try finish()
  }
}
