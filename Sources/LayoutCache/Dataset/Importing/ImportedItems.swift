import LayoutGeometry
import LayoutStore
import SumTree

/// A run of one section's imported items, in input order.
struct ImportedRun {
  var items = ItemRun()
  /// The input's line of each item; 0 if unknown.
  var lines: [Int] = []
}

/// The items of an import, grouped by section in order of first appearance.
///
/// Items may arrive in any order of sections. They are stored in memory by section up to a budget
/// and then moved to a scratch table, so the memory needed does not depend on their number.
struct ImportedItems {
  /// The memory of a run in addition to its items: array headers and a dictionary slot.
  private static let runBytes = 600
  /// The bytes of an item in a batch in addition to its key: the key's length, two sides and a
  /// span, as varints.
  private static let itemBytesMax = 2 + 4 + 4 + 3
  /// The bytes of an item's data in addition to the text: the length and the gap before the item.
  private static let dataBytesMax = 2 + 6
  /// The bytes of an operation in addition to its section's key and its items: its kind,
  /// positions, a label, counts and flags.
  private static let operationBytesMax = 64

  private let memoryBytesMax: Int
  private(set) var sectionKeys: [String] = []
  /// Whether items were added to a section; `false` if it was only named.
  private(set) var hasItems: [Bool] = []
  /// The stated styles, by section key. The import may not have the section: the rows that
  /// state it may all be for items of other sections.
  private(set) var styles: [ExactKey: String] = [:]
  /// Whether an existing section of the dataset has got another style, in the present attempt to
  /// merge them.
  var hasChangedStyles = false
  private var numbers: [ExactKey: Int] = [:]
  /// The number under which each section's items are stored, if sections were sorted.
  private var storedNumbers: [Int]?
  private var pending: [Int: ImportedRun] = [:]
  private var pendingBytes = 0
  private var table: ScratchTable?
  private var flushCount = 0
  /// The section of the last item: most feeds arrive section by section.
  private var current: (number: Int, run: ImportedRun)?
  private(set) var count = 0
  /// The maximum size in bytes of a batch that inserts the items.
  private(set) var batchBytesMax = 0
  /// The progress callback; see ``Importer/watchBuilding(_:)``.
  var watch: (_ placedItems: Int, _ itemCount: Int) throws -> Void = { _, _ in }

  /// - Parameter memoryBytesMax: The memory for items before they move to a scratch table.
  init(memoryBytesMax: Int) {
    self.memoryBytesMax = memoryBytesMax
  }

  /// Returns the number of a section of the import; `nil` if the import does not name the section.
  func number(ofSection key: String) -> Int? { numbers[ExactKey(key)] }

  /// Returns the number of a section, and adds the section if it is new.
  ///
  /// - Throws: `LimitError` for an invalid key or too many sections.
  mutating func section(_ key: String) throws -> Int {
    if let current, ExactKey(sectionKeys[current.number]) == ExactKey(key) {
      return current.number
    }
    if let number = numbers[ExactKey(key)] { return number }
    try Limits.check(name: key, as: "section key")
    try Limits.check(sectionKeys.count + 1, in: 0...Limits.sectionsMax, as: "sections")
    let number = sectionKeys.count
    batchBytesMax += key.utf8.count + Self.operationBytesMax
    sectionKeys.append(key)
    hasItems.append(false)
    numbers[ExactKey(key)] = number
    return number
  }

  /// Returns the style stated for a section; `nil` for none.
  func style(ofSection number: Int) -> String? {
    styles.isEmpty ? nil : styles[ExactKey(sectionKeys[number])]
  }

  /// States a section's style, instead of an earlier one.
  ///
  /// - Throws: `LimitError` for an invalid name or key.
  mutating func setStyle(_ style: String, ofSection key: String) throws {
    if let known = styles[ExactKey(key)], known.isExactly(style) { return }
    try Limits.check(name: key, as: "section key")
    try Limits.check(name: style, as: "style name")
    // A batch contains the items of restyled sections.
    if styles.isEmpty { batchBytesMax += Budgets.restyledBytes }
    batchBytesMax += key.utf8.count + style.utf8.count + Self.operationBytesMax
    styles[ExactKey(key)] = style
  }

  mutating func append(_ item: Item, section: Int, line: Int) throws {
    if current?.number != section { switchCurrent(to: section) }
    hasItems[section] = true
    current?.run.items.append(item)
    current?.run.lines.append(line)
    count += 1
    batchBytesMax += item.key.utf8.count + Self.itemBytesMax
    pendingBytes += item.key.utf8.count + 24
    if let data = item.data {
      batchBytesMax += data.json.utf8.count + Self.dataBytesMax
      pendingBytes += data.json.utf8.count + 12
    }
    if pendingBytes > memoryBytesMax { try setAside() }
    if count.isMultiple(of: LongWork.strideCount) { LongWork.giveWay() }
  }

  /// Sorts the sections, after the last item.
  mutating func sortSections(by precedes: (String, String) -> Bool) {
    let order = sectionKeys.indices.sorted { precedes(sectionKeys[$0], sectionKeys[$1]) }
    (sectionKeys, hasItems) = (order.map { sectionKeys[$0] }, order.map { hasItems[$0] })
    for (number, key) in sectionKeys.enumerated() { numbers[ExactKey(key)] = number }
    storedNumbers = order
  }

  /// Calls `body` with a section's runs in input order.
  mutating func forEachRun(ofSection section: Int, _ body: (ImportedRun) throws -> Void) throws {
    switchCurrent(to: nil)
    let section = storedNumbers?[section] ?? section
    try table?.forEach(major: section) { reader in try body(ImportedRun(from: &reader)) }
    if let run = pending[section] { try body(run) }
  }

  /// Returns the error that names the first duplicate among `keys`: the key whose second item comes
  /// first in the input, or whose only item does if the other is in the dataset. Scans everything.
  mutating func error(ofDuplicates keys: Set<ExactKey>) throws -> LayoutCacheError {
    var linesByKey: [ExactKey: [Int]] = [:]
    for section in sectionKeys.indices {
      try forEachRun(ofSection: section) { run in
        for index in 0..<run.items.count {
          let key = ExactKey(run.items.key(at: index))
          if keys.contains(key) { linesByKey[key, default: []].append(run.lines[index]) }
        }
      }
    }
    let duplicates = linesByKey.map { key, lines in
      DuplicateKey(key: key.string, lines: Array(lines.sorted().prefix(2)))
    }
    let first = duplicates.min { ($0.lines.last ?? 0, $0.key) < ($1.lines.last ?? 0, $1.key) }
    // A section's key is not among the items' keys.
    let duplicate = first ?? DuplicateKey(key: keys.first?.string ?? "", lines: [])
    return LayoutCacheError(.duplicateKey(duplicate.withoutUnknownLines))
  }

  private mutating func switchCurrent(to section: Int?) {
    if let current { pending[current.number] = current.run }
    current = nil
    guard let section else { return }
    if let run = pending.removeValue(forKey: section) {
      current = (section, run)
    } else {
      current = (section, ImportedRun())
      batchBytesMax += sectionKeys[section].utf8.count + Self.operationBytesMax
      pendingBytes += Self.runBytes
    }
  }

  private mutating func setAside() throws {
    switchCurrent(to: nil)
    let table = try table ?? ScratchTable()
    self.table = table
    var payload = ByteWriter()
    for section in pending.keys.sorted() {
      guard let run = pending[section] else { continue }
      payload.removeAll()
      run.encode(into: &payload)
      try table.insert(major: section, minor: flushCount, payload)
    }
    pending = [:]
    pendingBytes = 0
    flushCount += 1
  }
}

extension ImportedRun {
  func encode(into writer: inout ByteWriter) {
    items.encodeWithData(into: &writer)
    for line in lines { writer.writeCount(max(0, line)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    items = try ItemRun(withDataFrom: &reader)
    lines.reserveCapacity(items.count)
    for _ in 0..<items.count { lines.append(try reader.readCount(limit: .max)) }
  }
}

/// The texts of an import's rows, which are stored outside memory.
package struct ImportedRows {
  let keys: ImportedKeys
  let path: String

  /// Calls `body` with the text of each row whose key the dataset had before the import, in the
  /// order of their lines. Only for imports that skip such rows, after the commit.
  package func forEachKnown(_ body: ([UInt8]) throws -> Void) throws {
    try mappingErrors(path) { try keys.forEachKnown(body) }
  }
}
