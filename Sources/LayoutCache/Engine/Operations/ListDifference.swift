import LayoutGeometry
import SumTree

/// The target content of a dataset, section by section.
protocol TargetList {
  /// The distinct keys of the sections, in order.
  var sectionKeys: [String] { get }

  /// Returns a section's style; `nil` for none.
  func style(ofSection section: Int) -> String?

  /// Calls `body` with a section's items in order, run by run.
  mutating func forEachItemRun(ofSection section: Int, _ body: (ItemRun) throws -> Void) throws
}

/// The difference between a dataset and a list: the sections and items that stay, are inserted,
/// are removed or move.
///
/// Items are identified by their numbers in the dataset, counted from its first. New items are
/// identified by the complement of their number among the section's new items, which is negative.
///
/// - Complexity: 12 bytes per item of the dataset, and 8 per item of the list.
struct ListDifference {
  struct Section {
    var key: String
    /// The section's index in the dataset; `nil` for a new one.
    var old: Int?
    /// The section's items in the dataset; empty for a new one.
    var oldItems: Range<Int>
    /// The section's number in the list; `nil` if the list lacks it.
    var listed: Int?
    /// The target items, in order.
    var items: [Int] = []
  }

  /// An item of the list.
  struct Listed {
    fileprivate let items: ItemLeaf
    fileprivate let index: Int
    let data: ItemData?

    var key: String { items.key(at: index) }
    var size: Size { items.size(at: index) }
    var columnSpan: Int { items.columnSpan(at: index) }
    var visibility: ItemVisibility { items.visibility(at: index) }
    var item: Item { items.item(at: index, data: data) }
  }

  /// The target sections, in order.
  private(set) var sections: [Section] = []
  /// The sections of the dataset to remove, in order.
  private(set) var goneSections: [SectionReference] = []
  /// For each item of the dataset, the number of its section in the list plus one; 0 if the list
  /// lacks the item.
  private(set) var listedIn: [Int32]
  private let missing: MissingItems

  /// Creates the difference between a dataset and a list.
  ///
  /// - Parameter body: Called with each item of the list, its section's number, and its position
  ///   in the dataset, if any.
  /// - Throws: ``BatchError`` with `duplicateKey` for an existing item that the list
  ///   contains twice; errors of reading and of `body`.
  init<List: TargetList>(
    from trees: DatasetTrees, to list: inout List, missing: MissingItems, in session: TreeSession,
    _ body: (Listed, _ section: Int, ItemPosition?, inout ItemFinder) throws -> Void
  ) throws {
    self.missing = missing
    listedIn = Array(repeating: 0, count: trees.items.count)
    var listed: [[Int]] = []
    var finder = ItemFinder()
    for section in list.sectionKeys.indices {
      var items: [Int] = []
      var newCount = 0
      try list.forEachItemRun(ofSection: section) { run in
        let data = run.data.isEmpty ? nil : run.data.items
        for index in 0..<run.count {
          let key = run.key(at: index)
          let place = try finder.place(ofKey: key, in: trees, session)
          if let number = place?.number {
            if listedIn[number] != 0 { throw BatchError.duplicateKey(key) }
            listedIn[number] = Int32(section + 1)
            items.append(number)
          } else {
            items.append(~newCount)
            newCount += 1
          }
          let listed = Listed(items: run.items, index: index, data: data?[index])
          try body(listed, section, place, &finder)
        }
      }
      listed.append(items)
    }
    try order(list.sectionKeys, listed, trees, session)
  }

  /// Orders the sections. Retained sections and items that the list lacks stay after their
  /// previous predecessor.
  private mutating func order(
    _ keys: [String], _ listed: [[Int]], _ trees: DatasetTrees, _ session: TreeSession
  ) throws {
    var numbers: [ExactKey: Int] = [:]
    for (number, key) in keys.enumerated() { numbers[ExactKey(key)] = number }
    var present: [Section] = []
    var start = 0
    try trees.sections.forEachLeaf(in: session) { leaf, _ in
      for entry in leaf.entries {
        let items = start..<(start + entry.itemCount)
        present.append(
          Section(
            key: entry.key, old: present.count, oldItems: items,
            listed: numbers[ExactKey(entry.key)]))
        start = items.upperBound
      }
    }
    var places: [Int?] = Array(repeating: nil, count: keys.count)
    for section in present {
      if let number = section.listed { places[number] = section.old }
    }
    func keepMissing(from first: Int) {
      for var section in present[first...] {
        guard section.listed == nil else { return }
        section.items = section.oldItems.filter { listedIn[$0] == 0 }
        sections.append(section)
      }
    }
    if missing == .keep { keepMissing(from: 0) }
    for (number, key) in keys.enumerated() {
      var section =
        places[number].map { present[$0] }
        ?? Section(key: key, old: nil, oldItems: 0..<0, listed: number)
      section.items = missing == .keep ? kept(listed[number], in: section) : listed[number]
      sections.append(section)
      if missing == .keep, let old = section.old { keepMissing(from: old + 1) }
    }
    if missing == .remove {
      goneSections = present.filter { $0.listed == nil }.map {
        SectionReference(index: $0.old ?? 0, key: $0.key)
      }
    }
  }

  /// Returns a section's listed items, with those that the list lacks after the nearest preceding
  /// item that stays in the section.
  private func kept(_ listed: [Int], in section: Section) -> [Int] {
    guard let number = section.listed else { return listed }
    var items: [Int] = []
    func keepMissing(from first: Int) {
      for item in first..<max(first, section.oldItems.upperBound) {
        if listedIn[item] == 0 { items.append(item) }
        if listedIn[item] == Int32(number + 1) { return }
      }
    }
    keepMissing(from: section.oldItems.lowerBound)
    for item in listed {
      items.append(item)
      if section.oldItems.contains(item) { keepMissing(from: item + 1) }
    }
    return items
  }

  /// Returns the items to remove from a section, as runs of their numbers, in order.
  func goneItems(of section: Section) -> [Range<Int>] {
    guard missing == .remove else { return [] }
    var runs: [Range<Int>] = []
    for item in section.oldItems where listedIn[item] == 0 {
      if let last = runs.last, last.upperBound == item {
        runs[runs.count - 1] = last.lowerBound..<(item + 1)
      } else {
        runs.append(item..<(item + 1))
      }
    }
    return runs
  }
}

/// Returns the indices of a longest increasing subsequence, in order: the elements that can stay
/// while all others move.
///
/// Source: patience sorting, as in M. L. Fredman, On computing the length of longest increasing
/// subsequences, 1975.
///
/// - Parameter values: Distinct values.
/// - Complexity: O(n log n); O(n) if the values increase.
func longestIncreasingSubsequence(of values: [Int]) -> [Int] {
  // For each length, the index at which a subsequence of that length ends with the least value.
  var ends: [Int] = []
  var previous: [Int] = []
  previous.reserveCapacity(values.count)
  for (index, value) in values.enumerated() {
    var length = ends.count
    if let last = ends.last, values[last] > value {
      var upper = length
      length = 0
      while length < upper {
        let middle = (length + upper) / 2
        if values[ends[middle]] < value { length = middle + 1 } else { upper = middle }
      }
    }
    previous.append(length == 0 ? -1 : ends[length - 1])
    if length == ends.count { ends.append(index) } else { ends[length] = index }
  }
  guard var index = ends.last else { return [] }
  var indices: [Int] = []
  indices.reserveCapacity(ends.count)
  while index >= 0 {
    indices.append(index)
    index = previous[index]
  }
  return indices.reversed()
}
