import LayoutGeometry
import SumTree

/// The columns and rebalances that the newest commits replaced in a layout's stable waterfalls, one
/// record a commit, for undo.
///
/// The columns of a stable waterfall do not follow from the items, so the operations that revert a
/// commit would choose new ones. The stack is part of the result: every process that follows the
/// same log has the same one.
struct UndoStack: Sendable {
  /// The reach, which is part of the layout rules: commits, and bytes of records.
  static let commitsMax = 1_000
  static let bytesMax = 64 << 10

  private final class Entry: Sendable {
    let revision: Int
    let record: [UInt8]
    /// The bytes of this record and of all older ones.
    let bytes: Int
    let older: Entry?

    init(_ revision: Int, _ record: [UInt8], bytes: Int, older: Entry?) {
      (self.revision, self.record, self.bytes, self.older) = (revision, record, bytes, older)
    }
  }

  /// The revision from which on each commit that replaced something has a record.
  private var begin: Int
  private var newest: Entry?

  init(begin: Int) { self.begin = begin }

  /// The number of records in memory.
  var count: Int { sequence(first: newest) { $0?.older }.prefix { $0 != nil }.count { _ in true } }

  /// Adds the record of a commit.
  mutating func push(_ record: [UInt8], of revision: Int) {
    let isTooLong = record.count > Self.bytesMax
    newest = Entry(
      revision, isTooLong ? [] : record, bytes: (newest?.bytes ?? 0) + record.count, older: newest)
  }

  /// Returns the record of a commit; empty if it replaced nothing.
  ///
  /// - Parameter present: The result's revision.
  /// - Returns: `nil` if the commit is out of reach.
  /// - Complexity: O(records after the commit's).
  func record(of revision: Int, at present: Int) -> [UInt8]? {
    guard present - revision < Self.commitsMax else { return nil }
    var entry = newest
    while let next = entry, next.revision > revision { entry = next.older }
    let found = entry?.revision == revision ? entry : nil
    let older = found == nil ? entry : found?.older
    if let newest, newest.bytes - (older?.bytes ?? 0) > Self.bytesMax { return nil }
    return revision > begin ? found?.record ?? [] : nil
  }

  // begin    varint
  // records  count varint, and for each, oldest first: the revision after the previous record's, or
  //          after begin, varint; length varint; bytes

  /// The encoding of all records in reach.
  func encoded(at present: Int) -> [UInt8] {
    var entries: [Entry] = []
    var entry = newest
    while let next = entry, let newest, present - next.revision < Self.commitsMax,
      newest.bytes - (next.older?.bytes ?? 0) <= Self.bytesMax
    {
      entries.append(next)
      entry = next.older
    }
    // A record that is out of reach is so for good.
    let begin = max(begin, entry?.revision ?? 0)
    var writer = ByteWriter()
    writer.writeCount(begin)
    writer.writeCount(entries.count)
    var last = begin
    for entry in entries.reversed() {
      writer.writeCount(entry.revision - last)
      writer.writeCounted(entry.record)
      last = entry.revision
    }
    return writer.bytes
  }

  /// - Parameter revision: The result's revision.
  /// - Throws: ``Damage``.
  init(_ bytes: [UInt8], at revision: Int) throws {
    self.init(begin: revision)
    if bytes.isEmpty { return }
    try Self.read(bytes) { reader in
      begin = try reader.readCount(limit: 1 << 53)
      var last = begin
      for _ in 0..<(try reader.readCount(limit: Self.commitsMax, sizeMin: 3)) {
        last += try reader.readCount(limit: Int(Int32.max))
        let record = try reader.readCounted(limit: Self.bytesMax)
        guard last > newest?.revision ?? begin, last <= revision, !record.isEmpty else {
          throw reader.malformed("record of a commit")
        }
        push(record, of: last)
      }
    }
  }

  /// - Throws: ``Damage``.
  fileprivate static func read<R>(
    _ bytes: [UInt8], _ body: (inout ByteReader) throws -> R
  ) throws -> R {
    do {
      return try ByteReader.read(bytes) { reader in
        let result = try body(&reader)
        try reader.expectEnd()
        return result
      }
    } catch let error as ByteError {
      throw Damage(detail: "its undo stack: \(error)")
    }
  }
}

/// The part of a commit's effect on stable waterfalls that the operations do not tell: the columns
/// of items that were deleted, moved or changed their span; the columns of items that were placed
/// again; and the state of rebalances.
struct UndoRecord {
  /// The number of operations that concern the layout.
  var operations = 0
  /// The first columns of the items that operations removed or let choose again, in order.
  var columns: [UInt8] = []
  /// Items that were placed again: the number of operations before that, and their first columns
  /// before.
  var placements: [(operations: Int, section: SectionReference, start: Int, columns: [UInt8])] = []
  /// The state of the rebalances before, by section before the commit.
  var states: [SectionReference: RebalanceState] = [:]

  var isEmpty: Bool { columns.isEmpty && placements.isEmpty && states.isEmpty }

  /// Removes the columns of the last items.
  ///
  /// - Throws: ``Damage`` if there are fewer.
  mutating func takeColumns(_ count: Int) throws -> [UInt8] {
    guard count <= columns.count else { throw Self.doesNotFit }
    defer { columns.removeLast(count) }
    return Array(columns.suffix(count))
  }

  static var doesNotFit: Damage { Damage(detail: "its undo stack does not fit its items") }

  // operations  varint
  // columns     count varint, bytes
  // placements  count varint, and for each: operations varint, section, start varint; count varint,
  //             bytes
  // states      count varint, and for each, by index: section, RebalanceState

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(operations)
    writer.writeCounted(columns)
    writer.writeCount(placements.count)
    for placement in placements {
      writer.writeCount(placement.operations)
      placement.section.encode(into: &writer)
      writer.writeCount(placement.start)
      writer.writeCounted(placement.columns)
    }
    writer.writeCount(states.count)
    for (section, state) in states.sorted(by: { $0.key.index < $1.key.index }) {
      section.encode(into: &writer)
      state.encode(into: &writer)
    }
    return writer.bytes
  }

  init() {}

  /// - Throws: ``Damage``.
  init(_ bytes: [UInt8]) throws {
    if bytes.isEmpty { return }
    try UndoStack.read(bytes) { reader in
      operations = try reader.readCount(limit: .max)
      columns = try reader.readCounted(limit: UndoStack.bytesMax)
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 4)) {
        placements.append(
          (
            try reader.readCount(limit: operations), try SectionReference(from: &reader),
            try reader.readCount(limit: Limits.itemsMax),
            try reader.readCounted(limit: UndoStack.bytesMax)
          ))
      }
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 3)) {
        let section = try SectionReference(from: &reader)
        states[section] = try RebalanceState(from: &reader, itemCount: Limits.itemsMax)
      }
    }
  }
}
