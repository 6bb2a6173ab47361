import LayoutGeometry
import LayoutStore
import SumTree

/// A committed batch as stored in the log.
struct LoggedBatch: Sendable, Equatable {
  var operations: [ResolvedOperation]

  /// The number of operations for which the batch counts.
  var weight: Int { operations.reduce(0) { $0 + $1.weight } }

  /// The number of items that the batch inserts.
  var insertedCount: Int {
    operations.reduce(0) { sum, operation in
      guard case .insertItems(let run, _, _, _) = operation else { return sum }
      return sum + run.count
    }
  }

  // count  varint
  // operation × count

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(operations.count)
    for operation in operations { operation.encode(into: &writer) }
    return writer.bytes
  }

  /// - Throws: ``LayoutCacheError`` with `batchTooLong`.
  func encodedWithinLimits() throws -> [UInt8] {
    let bytes = encode()
    if bytes.count > Limits.batchBytesMax {
      throw LayoutCacheError(tooLongBatch: bytes.count)
    }
    return bytes
  }

  init(operations: [ResolvedOperation]) { self.operations = operations }

  /// The log's entry for a dataset that is created or rebuilt.
  static let build = LoggedBatch(operations: [.build])

  init(_ bytes: [UInt8]) throws {
    operations = try ByteReader.read(bytes) { reader in
      var operations: [ResolvedOperation] = []
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 1)) {
        operations.append(try ResolvedOperation(from: &reader))
      }
      try reader.expectEnd()
      return operations
    }
  }

  /// Returns whether a layout must be laid out from scratch to follow the batch.
  func isEverything(for layout: Int64) -> Bool {
    operations.contains {
      // Matched instead of compared, which copies the operation's contents.
      switch $0 {
      case .changeStyle(_, let change): change.isEverything
      case .everything(let concerned): concerned == layout
      case .build: true
      default: false
      }
    }
  }

  /// Whether the batch only changes data, and so affects no layout.
  var isOfData: Bool { !operations.isEmpty && operations.allSatisfy(\.isOfData) }

  /// Returns whether the batch continues a layout's rebalances by a large instalment.
  func carriesOn(_ layout: Int64) -> Bool {
    operations.contains {
      if case .continueRebalance(let concerned) = $0 { concerned == layout } else { false }
    }
  }
}

extension LoggedBatch {
  /// Decodes the batch of a log entry.
  ///
  /// - Throws: `StoreError` with `corrupt`.
  init(_ row: LogRow, path: String) throws {
    do {
      try self.init(row.payload)
    } catch let error as ByteError {
      throw StoreError(
        .corrupt(detail: "log entry \(row.revision): \(error)"), path: path)
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
