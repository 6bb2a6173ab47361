import LayoutGeometry
import LayoutStore
import SumTree

/// The keys of an import that accepts rows whose key is already in the dataset or in an earlier
/// row. They are stored outside memory, so that memory use does not depend on their number.
///
/// Among rows with the same key, the first determines the item's position. If duplicates update,
/// the last determines the item's values, and earlier rows supply those that it omits.
final class ImportedKeys {
  private let rule: DuplicateRows
  private let keys: ScratchKeys
  /// The rows whose key is in an earlier row.
  private var repeated = Duplicates()
  /// The rows whose key the dataset already has, in the present attempt to merge them.
  private var known = Duplicates()
  /// Whether an existing item of the dataset has changed, in the present attempt.
  private(set) var hasChangedItems = false

  /// The number of duplicates, and the first ones.
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

  /// - Parameter rule: Any rule except `fail`.
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

  /// Records in a summary the rows whose key was already present.
  func note(in summary: inout ImportSummary) {
    summary.duplicateCount = duplicateCount
    summary.duplicates = duplicates
  }

  /// Adds a row.
  ///
  /// - Parameter text: The row's text, for ``forEachKnown(_:)``, if duplicates are skipped.
  /// - Returns: Whether the row is the first with its key.
  func add(_ item: UpsertedItem, line: Int, text: [UInt8]?) throws -> Bool {
    let isFirst = try keys.insert(item.key.utf8)
    if !isFirst { repeated.add(item.key, line: line) }
    guard rule == .update else {
      if isFirst, let text { try keys.put(text, at: line, for: item.key.utf8) }
      return isFirst
    }
    var item = item
    if !isFirst, let earlier = try statement(of: item.key) { item = item.completed(by: earlier) }
    var writer = ByteWriter()
    item.encode(into: &writer)
    try keys.put(writer.bytes, at: line, for: item.key.utf8)
    return isFirst
  }

  /// Returns the merged values of an item's rows; `nil` if no row has the key or duplicates do
  /// not update.
  private func statement(of key: String) throws -> UpsertedItem? {
    guard rule == .update, let payload = try keys.payload(for: key.utf8) else { return nil }
    return try ByteReader.read(payload) { try UpsertedItem(key: key, from: &$0) }
  }
}

// MARK: - Merging rows

extension ImportedKeys {
  /// Begins an attempt to merge the rows into a dataset.
  func begin() throws {
    known = Duplicates()
    hasChangedItems = false
    try keys.unmarkAll()
  }

  /// Records that the dataset has the items of a leaf.
  func note(present run: ItemLeaf) throws {
    for index in 0..<run.count { try keys.mark(run.key(at: index).utf8) }
  }

  /// Calls `body` with the texts of the rows whose key the dataset has, in the order of lines.
  func forEachKnown(_ body: ([UInt8]) throws -> Void) throws { try keys.forEachMarked(body) }

  /// Returns the upserts for rows of a section.
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
        if rule == .skip {
          try keys.mark(key.utf8)
          continue
        }
      }
      statements.append(
        try statement(of: key)
          ?? UpsertedItem(run.items.items.item(at: index, data: data[index])))
    }
    return statements
  }

  /// Returns the items of a run that the dataset does not have, with their merged values.
  ///
  /// All items of the dataset must have been recorded first.
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

  /// Returns existing items of the dataset, updated by their rows.
  func updated(_ run: ItemRun) throws -> ItemRun {
    var statements: [Int: UpsertedItem] = [:]
    for index in 0..<run.count { statements[index] = try statement(of: run.key(at: index)) }
    // The usual case.
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
        if let visibility = statement.visibility { item.setVisibility(visibility, at: 0) }
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
  // stated  u8: bit 0 the span, bit 1 data, bit 2 removal of data, bit 3 the visibility; 16 times
  //         that, if stated
  // span    varint, if stated
  // data    length as varint, UTF-8, if stated

  fileprivate func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(size.width.units))
    writer.writeVarint(UInt64(size.height.units))
    writer.writeUInt8(
      (columnSpan == nil ? 0 : 1) | (data.data == nil ? 0 : 2) | (data == .remove ? 4 : 0)
        | (visibility.map { 8 | $0.rawValue << 4 } ?? 0))
    if let columnSpan { writer.writeCount(columnSpan) }
    if let data = data.data {
      writer.writeCounted(data.json.utf8)
    }
  }

  fileprivate init(key: String, from reader: inout ByteReader) throws(ByteError) {
    let (width, height) = (try reader.readSide(), try reader.readSide())
    let stated = try reader.readUInt8()
    let span = stated & 1 == 0 ? nil : try reader.readCount(limit: Limits.columnSpanMax)
    var data = stated & 4 == 0 ? DataChange.none : .remove
    if stated & 2 != 0 {
      let bytes = try reader.readCounted(limit: Limits.dataBytesMax)
      data = .set(ItemData(checked: bytes[...]))
    }
    self.init(
      key: key, size: Size(width: width, height: height), columnSpan: span, data: data,
      visibility: stated & 8 == 0 ? nil : ItemVisibility(rawValue: stated >> 4))
  }

  /// Returns the item, with omitted values supplied by an earlier row.
  fileprivate func completed(by earlier: UpsertedItem) -> UpsertedItem {
    UpsertedItem(
      key: key, size: size, columnSpan: columnSpan ?? earlier.columnSpan,
      data: data == .none ? earlier.data : data, visibility: visibility ?? earlier.visibility)
  }
}
