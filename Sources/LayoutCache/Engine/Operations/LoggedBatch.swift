import CollectionLayout
import LayoutGeometry
import LayoutStore
import SumTree

/// A committed batch as stored in the log.
package struct LoggedBatch: Sendable, Equatable {
  enum Kind: UInt8, Sendable {
    case batch
    /// The creation of the dataset, or the replacement of its items by an import: no earlier log
    /// entry leads here.
    case build
    /// The batch reverts the previous ones. Layouts restore the columns from before them.
    case undo
  }

  /// The position up to which a source of changes has been followed.
  struct Mark: Sendable, Equatable {
    var source: String
    var position: String
  }

  var kind = Kind.batch
  /// The name of the caller that committed the batch; empty for none.
  var who = ""
  var marks: [Mark] = []
  /// Of an undo, for each reverted batch from the newest on, the number of operations that revert it.
  var undone: [Int] = []
  var operations: [ResolvedOperation]

  /// The log's entry for a dataset that is created or rebuilt.
  static func build(by who: String = "") -> LoggedBatch {
    LoggedBatch(kind: .build, who: who, operations: [])
  }

  /// The number of operations for which the batch counts.
  var weight: Int { kind == .build ? 1 : operations.reduce(marks.count) { $0 + $1.weight } }

  /// Whether the batch changes nothing.
  package var isEmpty: Bool { kind == .batch && marks.isEmpty && operations.isEmpty }

  /// Whether the batch reverts the previous ones.
  var isUndo: Bool { kind == .undo }

  /// Whether the batch only changes data, and so affects no layout.
  var isOfData: Bool {
    kind == .batch && marks.isEmpty && !operations.isEmpty && operations.allSatisfy(\.isOfData)
  }

  /// The number of items that the batch inserts.
  var insertedCount: Int {
    operations.reduce(0) { sum, operation in
      switch operation {
      case .items(let splice): splice.aspect == .place ? sum + splice.after.count : sum
      case .sections(let splice): splice.before == nil ? sum + splice.placedCount : sum
      case .note: sum
      }
    }
  }

  /// Returns whether a layout must be laid out from scratch to follow the batch.
  func isEverything(for layout: Int64) -> Bool {
    kind == .build
      || operations.contains {
        switch $0 {
        case .items: false
        case .sections(let splice): splice.isRestyle && splice.isUnknown
        case .note(let note, let concerned): note == .everything && concerned == layout
        }
      }
  }

  /// Returns whether the batch continues a layout's rebalances by a large instalment.
  func carriesOn(_ layout: Int64) -> Bool {
    operations.contains { $0 == .note(.continueRebalance, layout: layout) }
  }
}

// MARK: - Bytes

extension LoggedBatch {
  // kind   u8: 0 batch, 1 build, 2 undo; + 4 with marks; + 8 with who
  // who    if any: text
  // undone of an undo: the number of reverted batches varint, at least 1, and for each, from the newest
  //        on: the number of its operations varint
  // marks  if any: count varint, and for each: sourceLength varint, source UTF-8, positionLength varint,
  //        position UTF-8
  // count  varint
  // operation × count

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeUInt8(kind.rawValue | (marks.isEmpty ? 0 : 4) | (who.isEmpty ? 0 : 8))
    if !who.isEmpty { writer.write(text: who) }
    if isUndo {
      writer.writeCount(undone.count)
      for count in undone { writer.writeCount(count) }
    }
    if !marks.isEmpty { writer.writeCount(marks.count) }
    for mark in marks {
      writer.write(text: mark.source)
      writer.write(text: mark.position)
    }
    writer.writeCount(operations.count)
    for operation in operations { operation.encode(into: &writer) }
    return writer.bytes
  }

  /// - Throws: ``LayoutCacheError`` with `batchTooLong`.
  func encodedWithinLimits() throws -> [UInt8] {
    let bytes = encode()
    if bytes.count > Limits.batchBytesMax { throw LayoutCacheError(tooLongBatch: bytes.count) }
    return bytes
  }

  package init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let form = try reader.readUInt8()
      guard form < 16, let kind = Kind(rawValue: form & 3) else {
        throw reader.malformed("kind of a batch")
      }
      var batch = LoggedBatch(kind: kind, operations: [])
      if form & 8 != 0 { batch.who = try reader.readText(limit: Limits.nameBytesMax) }
      let undoneMax = Int(Int32.max)
      for _ in 0..<(batch.isUndo ? try reader.readCount(limit: undoneMax, sizeMin: 1) : 0) {
        batch.undone.append(try reader.readCount(limit: undoneMax))
      }
      for _ in 0..<(form & 4 == 0 ? 0 : try reader.readCount(limit: .max, sizeMin: 4)) {
        let source = try reader.readKey()
        batch.marks.append(Mark(source: source, position: try reader.readKey()))
      }
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 2)) {
        batch.operations.append(try ResolvedOperation(from: &reader))
      }
      guard kind != .build || batch.operations.isEmpty else {
        throw reader.malformed("operations of an import")
      }
      guard
        !batch.isUndo
          || !batch.undone.isEmpty && batch.undone.reduce(0, +) == batch.operations.count
      else { throw reader.malformed("operations of an undo") }
      try reader.expectEnd()
      return batch
    }
  }

  /// Decodes the batch of a log entry.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  init(_ row: LogRow, path: String) throws {
    do {
      try self.init(row.payload)
    } catch let error as ByteError {
      throw StoreError(.corrupt(detail: "log entry \(row.revision): \(error)"), path: path)
    }
  }
}

extension LayoutCacheError {
  /// - Parameter byteCount: The number of the batch's bytes in the log, or a lower bound.
  init(tooLongBatch byteCount: Int) {
    self.init(
      .batchTooLong(
        LimitError(
          .tooLong, "the batch", limit: Double(Limits.batchBytesMax), value: Double(byteCount))))
  }
}

extension LoggedBatch {
  /// Returns the operations that revert the batch, from the last to the first. Marks stay, and
  /// layouts revert effects that concern only them.
  ///
  /// - Throws: ``BatchError``.
  func inverse() throws(BatchError) -> [ResolvedOperation] {
    if kind == .build { throw .imported }
    var inverse: [ResolvedOperation] = []
    for operation in operations.reversed() {
      if let undone = try operation.undone() { inverse.append(undone) }
    }
    return inverse
  }
}

extension ResolvedOperation {
  /// Returns the operation that reverts this one, applied to its result; `nil` if there is nothing
  /// to revert.
  fileprivate func undone() throws(BatchError) -> ResolvedOperation? {
    switch self {
    case .items(var splice):
      if splice.before.isUnknown { throw .notLogged }
      swap(&splice.before, &splice.after)
      return .items(splice)
    case .sections(var splice):
      if splice.isUnknown { throw .notLogged }
      swap(&splice.before, &splice.after)
      return .sections(splice)
    case .note(.invalidate, _), .note(.invalidateElements, _): return self
    case .note(.measure(let old, let new), let layout):
      return .note(.measure(from: new, to: old), layout: layout)
    case .note: return nil
    }
  }

  /// Returns the operation without the lengths measured for some layouts; `nil` if it only changes
  /// such lengths.
  func removingLengths(of layouts: Set<Int64>) -> ResolvedOperation? {
    func removing(_ run: ItemRun) -> ItemRun {
      var items = run.items
      items.removeLengths { layouts.contains($0) }
      return ItemRun(items, run.data)
    }
    switch self {
    case .items(var splice):
      if let layout = splice.layout, layouts.contains(layout) { return nil }
      splice.before.run = splice.before.run.map(removing)
      splice.after.run = splice.after.run.map(removing)
      return .items(splice)
    case .sections(var splice):
      let hadLengths = splice.changesLengths
      for layout in layouts {
        splice.before?.entry.supplementaryLengths[layout] = nil
        splice.after?.entry.supplementaryLengths[layout] = nil
      }
      splice.items = splice.items.map(removing)
      let isOfLengths = hadLengths && !splice.changesLengths && !splice.isRestyle
      return isOfLengths ? nil : .sections(splice)
    case .note(.measure, let layout) where layouts.contains(layout): return nil
    case .note: return self
    }
  }
}

/// The operations of some commits in words: "resize of 1 item, insertion of 2 sections".
struct OperationSummary: CustomStringConvertible {
  /// The counted acts and their objects, in the order in which they were first added.
  private var counts: [(act: String, noun: String, count: Int)] = []

  mutating func add(_ batch: LoggedBatch) {
    for operation in batch.operations {
      let (act, noun, count) = operation.summary
      if let place = counts.firstIndex(where: { $0.act == act && $0.noun == noun }) {
        counts[place].count += count
      } else {
        counts.append((act, noun, count))
      }
    }
  }

  var description: String {
    counts.isEmpty
      ? "no operation"
      : counts.map { "\($0.act) of \($0.count) \($0.noun)\($0.count == 1 ? "" : "s")" }
        .joined(separator: ", ")
  }
}

extension ResolvedOperation {
  /// The operation's act, its objects, and their number.
  fileprivate var summary: (act: String, noun: String, count: Int) {
    switch self {
    case .items(let splice):
      switch splice.aspect {
      case .data: ("change of data", "item", splice.after.count)
      case .values where splice.changesVisibility:
        ("change of visibility", "item", splice.after.count)
      case .values: (splice.layout == nil ? "resize" : "measurement", "item", splice.after.count)
      case .place where splice.isMove: ("move", "item", splice.after.count)
      case .place where splice.before.count > 0: ("deletion", "item", splice.before.count)
      case .place: ("insertion", "item", splice.after.count)
      }
    case .sections(let splice) where splice.before == nil: ("insertion", "section", 1)
    case .sections(let splice) where splice.after == nil: ("deletion", "section", 1)
    case .sections(let splice) where splice.isMove: ("move", "section", 1)
    case .sections(let splice): (splice.isRestyle ? "restyle" : "measurement", "section", 1)
    case .note(.invalidate(let range, _), _): ("invalidation", "item", range.count)
    case .note(.invalidateElements(let kinds, _), _): ("invalidation", "element", kinds.count)
    case .note(.everything, _): ("invalidation", "layout", 1)
    case .note(.measure, _): ("measurement", "layout", 1)
    case .note(.rebalance, _), .note(.continueRebalance, _): ("rebalance", "layout", 1)
    }
  }
}

extension OperationResolver {
  /// The resolved batch; `nil` if it creates no revision.
  var loggedBatch: LoggedBatch? { makesRevision ? resolved : nil }
}

extension [BatchOperation] {
  /// Whether resolving the operations requires a pass over the dataset.
  var takePass: Bool {
    contains {
      switch $0 {
      case .match, .resetLengths: true
      default: false
      }
    }
  }
}
