import LayoutGeometry
import LayoutStore
import SumTree

/// The keys of an import that continues where a key is there already, in the dataset or in an
/// earlier row: outside memory, so that what it takes does not depend on their number.
///
/// Of rows with one key the first says where the item stands. Where duplicates update, the
/// last says what it is, and those before it what that leaves open.
final class ImportedKeys {
  private let rule: DuplicateRows
  private let keys: ScratchKeys
  /// Rows whose key is in an earlier one.
  private var repeated = Duplicates()
  /// Rows whose key the dataset has, in the present attempt to put them in place.
  private var known = Duplicates()
  /// Whether an item that the dataset has has become another, in that attempt.
  private(set) var hasChangedItems = false

  /// How many there are, and the first of them.
  private struct Duplicates {
    var count = 0
    var first: [DuplicateKey] = []

    mutating func add(_ key: String, line: Int) {
      count += 1
      if first.count < Budgets.namedDuplicates {
        first.append(DuplicateKey(key: key, lines: [line]).withoutUnknownLines)
      }
    }
  }

  /// - Parameter rule: Not `fail`.
  init(_ rule: DuplicateRows) throws {
    self.rule = rule
    keys = try ScratchKeys()
  }

  var duplicateCount: Int { repeated.count + known.count }

  /// The first duplicates of the input.
  var duplicates: [DuplicateKey] {
    let sorted = (repeated.first + known.first).sorted {
      ($0.lines.first ?? 0) < ($1.lines.first ?? 0)
    }
    return Array(sorted.prefix(Budgets.namedDuplicates))
  }

  /// Says which rows had a key that was there already.
  func note(in summary: inout ImportSummary) {
    summary.duplicateCount = duplicateCount
    summary.duplicates = duplicates
  }

  /// Takes a row.
  ///
  /// - Returns: Whether it is the first with its key.
  func add(_ item: UpsertedItem, line: Int) throws -> Bool {
    let isFirst = try keys.insert(item.key.utf8)
    if !isFirst { repeated.add(item.key, line: line) }
    guard rule == .update else { return isFirst }
    var item = item
    if !isFirst, let earlier = try statement(of: item.key) { item = item.completed(by: earlier) }
    var writer = ByteWriter()
    item.encode(into: &writer)
    try keys.put(writer.bytes, for: item.key.utf8)
    return isFirst
  }

  /// What the rows say of an item in the end; `nil` where they say nothing, or nothing that
  /// counts.
  private func statement(of key: String) throws -> UpsertedItem? {
    guard rule == .update, let payload = try keys.payload(for: key.utf8) else { return nil }
    return try ByteReader.read(payload) { try UpsertedItem(key: key, from: &$0) }
  }
}

// MARK: - Putting rows in place

extension ImportedKeys {
  /// Begins to put the rows in place.
  func begin() throws {
    known = Duplicates()
    hasChangedItems = false
    try keys.unmarkAll()
  }

  /// Notes that the dataset has items.
  func note(present run: ItemLeaf) throws {
    for index in 0..<run.count { try keys.mark(run.key(at: index).utf8) }
  }

  /// The upserts for rows of a section.
  ///
  /// - Parameter isKnown: Whether the dataset has the item with a key.
  func statements(
    of run: ImportedRun, where isKnown: (String) throws -> Bool
  ) throws -> [UpsertedItem] {
    let data = run.items.data.items
    var statements: [UpsertedItem] = []
    for index in 0..<run.items.count {
      let key = run.items.key(at: index)
      if try isKnown(key) {
        known.add(key, line: run.lines[index])
        if rule == .skip { continue }
      }
      statements.append(
        try statement(of: key)
          ?? UpsertedItem(run.items.items.item(at: index, data: data[index])))
    }
    return statements
  }

  /// The rows whose items the dataset does not have, as they are in the end.
  ///
  /// Each of its items has been noted.
  func newItems(of run: ImportedRun) throws -> ItemRun {
    let data = run.items.data.items
    var new = ItemRun()
    for index in 0..<run.items.count {
      let key = run.items.key(at: index)
      if try keys.isMarked(key.utf8) {
        known.add(key, line: run.lines[index])
      } else {
        new.append(
          try statement(of: key)?.new ?? run.items.items.item(at: index, data: data[index]))
      }
    }
    return new
  }

  /// Items that the dataset has, as they become.
  func updated(_ run: ItemRun) throws -> ItemRun {
    var statements: [Int: UpsertedItem] = [:]
    for index in 0..<run.count { statements[index] = try statement(of: run.key(at: index)) }
    // As almost always.
    if statements.isEmpty { return run }
    let data = run.data.items
    var updated = ItemRun()
    for index in 0..<run.count {
      var item = run.items.slice(index..<(index + 1))
      var itemData = data[index]
      if let statement = statements[index] {
        let before = (item, itemData)
        item.resize(
          at: 0, to: statement.size, columnSpan: statement.columnSpan ?? item.columnSpan(at: 0))
        if statement.data != .none { itemData = statement.data.data }
        if before != (item, itemData) { hasChangedItems = true }
      }
      var dataRun = ItemDataRun()
      dataRun.append(itemData)
      updated.append(ItemRun(item, dataRun))
    }
    return updated
  }
}

extension UpsertedItem {
  // width   varint, units
  // height  varint, units
  // stated  u8: bit 0 the span, bit 1 data, bit 2 that there are none
  // span    varint, where it is stated
  // data    as the rest, where they are stated

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(size.width.units))
    writer.writeVarint(UInt64(size.height.units))
    writer.writeUInt8(
      (columnSpan == nil ? 0 : 1) | (data.data == nil ? 0 : 2) | (data == .remove ? 4 : 0))
    if let columnSpan { writer.writeCount(columnSpan) }
    if let data = data.data {
      writer.writeCount(data.json.utf8.count)
      writer.writeBytes(data.json.utf8)
    }
  }

  fileprivate init(key: String, from reader: inout ByteReader) throws(ByteError) {
    let (width, height) = (try reader.readSide(), try reader.readSide())
    let stated = try reader.readUInt8()
    let span = stated & 1 == 0 ? nil : try reader.readCount(limit: Limits.columnSpanMax)
    var data = stated & 4 == 0 ? DataChange.none : .remove
    if stated & 2 != 0 {
      let bytes = try reader.readBytes(count: try reader.readCount(limit: Limits.dataBytesMax))
      data = .set(ItemData(checked: bytes[...]))
    }
    self.init(key: key, size: Size(width: width, height: height), columnSpan: span, data: data)
  }

  /// The item with what it leaves open as an earlier row says it.
  fileprivate func completed(by earlier: UpsertedItem) -> UpsertedItem {
    UpsertedItem(
      key: key, size: size, columnSpan: columnSpan ?? earlier.columnSpan,
      data: data == .none ? earlier.data : data)
  }
}
