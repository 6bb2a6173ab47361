import LayoutGeometry
import LayoutStore
import SumTree

/// The items of an order, by section, outside memory if there are many.
struct ItemSorter {
  private struct Row {
    var section: Int
    var rank: ItemRank
    /// The item, as an `ItemRun` with data.
    var item: [UInt8]

    static func precedes(_ left: Row, _ right: Row) -> Bool {
      left.section == right.section ? left.rank < right.rank : left.section < right.section
    }
  }

  let order: DatasetOrder
  private let memoryBytesMax: Int
  /// The sections in order, after ``finish()``.
  private(set) var sectionKeys: [String] = []
  private var styles: [ExactKey: String] = [:]
  private var numbers: [ExactKey: Int] = [:]
  /// The number under which each section's items are stored.
  private var storedNumbers: [Int] = []
  private var rows: [Row] = []
  /// The number of the first of each section's ``rows``, and their count.
  private var starts: [Int] = []
  private var byteCount = 0
  private var table: ScratchRows?

  /// - Parameter memoryBytesMax: The memory for items, in bytes.
  init(by order: DatasetOrder, memoryBytesMax: Int) {
    (self.order, self.memoryBytesMax) = (order, memoryBytesMax)
  }

  func style(ofSection section: Int) -> String? { styles[ExactKey(sectionKeys[section])] }

  /// Returns the number of a section; `nil` if it is unknown.
  func number(ofSection key: String) -> Int? { numbers[ExactKey(key)] }

  /// Adds a section at the end, unless it is known.
  ///
  /// - Throws: `LimitError` for an invalid key or too many sections.
  @discardableResult
  mutating func addSection(_ key: String, style: String?) throws -> Int {
    if let number = numbers[ExactKey(key)] { return number }
    try Limits.check(name: key, as: "section key")
    try Limits.check(sectionKeys.count + 1, in: 0...Limits.sectionsMax, as: "sections")
    numbers[ExactKey(key)] = sectionKeys.count
    styles[ExactKey(key)] = style
    sectionKeys.append(key)
    return sectionKeys.count - 1
  }

  /// Adds items, before ``finish()``.
  ///
  /// - Parameters:
  ///   - key: Their section, unless sections are derived.
  ///   - isIncluded: Returns whether to add the item with a key.
  mutating func append(
    _ run: ItemRun, section key: String, where isIncluded: (String) -> Bool = { _ in true }
  ) throws {
    var writer = ByteWriter()
    for (index, data) in run.data.items.enumerated() where isIncluded(run.key(at: index)) {
      var item = ItemDataRun()
      item.append(data)
      writer.removeAll()
      ItemRun(run.items.slice(index..<(index + 1)), item).encodeWithData(into: &writer)
      let section = order.sections.map { (order.sectionKey(of: data), $0.style) } ?? (key, nil)
      let row = Row(
        section: try addSection(section.0, style: section.1),
        rank: order.rank(ofKey: run.key(at: index), data), item: writer.bytes)
      rows.append(row)
      byteCount += row.rank.bytes.count + row.item.count + 128
    }
    if byteCount > memoryBytesMax { try setAside() }
  }

  /// Sorts the items, and derived sections.
  mutating func finish() throws {
    storedNumbers = Array(sectionKeys.indices)
    if order.sections != nil {
      let ranks = sectionKeys.map { order.rank(ofSection: $0) }
      storedNumbers.sort { ranks[$0] < ranks[$1] }
      sectionKeys = storedNumbers.map { sectionKeys[$0] }
    }
    if table != nil {
      try setAside()
      try table?.sort()
      return
    }
    rows.sort(by: Row.precedes)
    starts = [0]
    for row in rows.indices {
      while starts.count <= rows[row].section { starts.append(row) }
    }
    while starts.count <= sectionKeys.count { starts.append(rows.count) }
  }

  private mutating func setAside() throws {
    let table = try table ?? ScratchRows()
    self.table = table
    for row in rows { try table.insert(major: row.section, rank: row.rank.bytes, row.item) }
    (rows, byteCount) = ([], 0)
  }

  func forEachItemRun(ofSection section: Int, _ body: (ItemRun) throws -> Void) throws {
    let section = storedNumbers[section]
    var run = ItemRun()
    func pass(_ item: [UInt8]) throws {
      run.append(try ByteReader.read(item) { try ItemRun(withDataFrom: &$0) })
      guard run.count == LongWork.strideCount else { return }
      try body(run)
      run = ItemRun()
    }
    if let table {
      try table.forEach(major: section, pass)
    } else {
      for row in rows[starts[section]..<starts[section + 1]] { try pass(row.item) }
    }
    if run.count > 0 { try body(run) }
  }
}
