import LayoutGeometry
import LayoutStore
import SumTree

/// A committed batch as the log keeps it.
struct LoggedBatch: Sendable, Equatable {
  var operations: [ResolvedOperation]

  /// How many operations the batch counts for.
  var weight: Int { operations.reduce(0) { $0 + $1.weight } }

  /// How many items it brings.
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

  /// Whether a layout must be laid out from scratch to move on by the batch.
  func isEverything(for layout: Int64) -> Bool {
    operations.contains { $0 == .everything(layout: layout) || $0 == .build }
  }

  /// Whether the batch only changes data, and so concerns no layout.
  var isOfData: Bool { !operations.isEmpty && operations.allSatisfy(\.isOfData) }

  /// Whether the batch's instalment of a layout's rebalances is a large one.
  func carriesOn(_ layout: Int64) -> Bool {
    operations.contains { $0 == .carryOn(layout: layout) }
  }
}

extension LoggedBatch {
  /// The batch of a log entry.
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
  /// - Parameter byteCount: The batch's bytes in the log, or some of them.
  init(tooLongBatch byteCount: Int) {
    self.init(
      .batchTooLong(
        LimitError(
          .tooLong, "the batch", limit: Double(Limits.batchBytesMax), value: Double(byteCount))))
  }
}
