import LayoutStore
import SumTree

/// A committed batch as the log keeps it.
struct LoggedBatch: Sendable, Equatable {
  var operations: [ResolvedOperation]

  /// How many operations the batch counts for.
  var weight: Int { operations.reduce(0) { $0 + $1.weight } }

  // count  varint
  // operation × count

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(operations.count)
    for operation in operations { operation.encode(into: &writer) }
    return writer.bytes
  }

  init(operations: [ResolvedOperation]) { self.operations = operations }

  init(_ bytes: [UInt8]) throws {
    operations = try ByteReader.read(bytes) { reader in
      var operations: [ResolvedOperation] = []
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 2)) {
        operations.append(try ResolvedOperation(from: &reader))
      }
      try reader.expectEnd()
      return operations
    }
  }

  /// Whether a layout must be laid out from scratch to move on by the batch.
  func isEverything(for layout: Int64) -> Bool {
    operations.contains { $0 == .everything(layout: layout) }
  }

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
