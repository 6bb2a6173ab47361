import LayoutGeometry
import LayoutStore
import SumTree

/// Reads an archive record by record, from chunks split at any byte.
///
/// It trusts no input: for any bytes, each call returns or throws, and uses memory for at most
/// one record and one chunk. It belongs to one call.
final class ArchiveReader {
  private let next: () throws -> [UInt8]?
  private var buffer: [UInt8] = []
  /// The number of bytes of the buffer that have been read.
  private var position = 0
  private var bytesBefore = 0
  private var digest = RunningDigest()
  /// The columns of a section's items read so far, and the number consumed.
  private var columns: [UInt8] = []
  private var columnCount = 0

  /// - Parameter next: Returns the next chunk; `nil` after the last.
  /// - Throws: ``ReplicationError`` with `unreadableArchive`; the errors of `next`.
  init(next: @escaping () throws -> [UInt8]?) throws {
    self.next = next
    guard try hasBytes(ArchiveRecord.magic.count), buffer.starts(with: ArchiveRecord.magic) else {
      throw ReplicationError.unreadableArchive("not a dataset archive that this version can read")
    }
    pass(ArchiveRecord.magic.count)
  }

  /// The number of bytes read.
  var byteCount: Int { bytesBefore + position }

  /// Returns the kind of the next record.
  ///
  /// - Throws: ``ReplicationError`` with `unreadableArchive`.
  func nextKind() throws -> ArchiveRecord {
    try fill(1)
    guard let kind = ArchiveRecord(rawValue: buffer[position]) else {
      throw ReplicationError.malformed("unknown record kind \(buffer[position])")
    }
    return kind
  }

  /// Reads the next record.
  ///
  /// - Parameters:
  ///   - kind: The required kind.
  ///   - decode: Reads the whole record.
  /// - Throws: ``ReplicationError``, also for limits and format rules that `decode` finds violated;
  ///   other errors of `decode` and `next`.
  func read<R>(
    _ kind: ArchiveRecord, _ decode: (inout ByteReader) throws -> R
  ) throws -> R {
    guard try nextKind() == kind else {
      throw ReplicationError.malformed("a record of kind \(buffer[position]) is out of order")
    }
    var start = 1
    var length = 0
    while true {
      try fill(start + 1)
      let byte = buffer[position + start]
      length |= Int(byte & 0x7F) << (7 * (start - 1))
      start += 1
      guard length <= ArchiveRecord.bytesMax, start <= 6 else {
        throw ReplicationError.malformed("a record is too long")
      }
      if byte < 0x80 { break }
    }
    try fill(start + length)
    return try refusingArchive {
      try buffer.withUnsafeBytes { bytes in
        let record = UnsafeRawBufferPointer(rebasing: bytes[position..<(position + start + length)])
        var reader = ByteReader(UnsafeRawBufferPointer(rebasing: record[start...]))
        let result = try decode(&reader)
        try reader.expectEnd()
        if kind != .end { digest.append(record) }
        position += record.count
        return result
      }
    }
  }

  /// Reads all next records of a kind.
  func readAll(_ kind: ArchiveRecord, _ decode: (inout ByteReader) throws -> Void) throws {
    while try nextKind() == kind { try read(kind, decode) }
  }

  /// Reads the end.
  ///
  /// - Returns: The digest of the bytes read.
  /// - Throws: ``ReplicationError`` if the digest in the end record differs, or bytes follow it.
  func finish() throws -> [UInt8] {
    let found = digest.bytes
    let stated = try read(.end) { try $0.readBytes(count: found.count) }
    guard stated == found else { throw ReplicationError.malformed("its digest does not match") }
    while position == buffer.count {
      guard let chunk = try next() else { return found }
      buffer = chunk
      bytesBefore += position
      position = 0
    }
    throw ReplicationError.malformed("it has data after its end")
  }

  private func pass(_ count: Int) {
    buffer.withUnsafeBytes { bytes in
      digest.append(UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)]))
    }
    position += count
  }

  /// Ensures that `count` bytes after the position are in the buffer.
  private func fill(_ count: Int) throws {
    if try !hasBytes(count) { throw ReplicationError.unreadableArchive("the archive is truncated") }
  }

  /// Reads until `count` bytes after the position are in the buffer; returns whether there are.
  private func hasBytes(_ count: Int) throws -> Bool {
    while buffer.count - position < count {
      guard let chunk = try next() else { return false }
      bytesBefore += position
      buffer.removeFirst(position)
      position = 0
      buffer += chunk
    }
    return true
  }
}

// MARK: - Histories

extension ArchiveReader {
  /// The rest of a layout's history.
  var history: HistorySource { HistorySource(beginSection: beginSection, nextColumn: nextColumn) }

  /// - Throws: ``ReplicationError`` if columns of the previous section are left.
  func endSection() throws {
    guard columnCount == columns.count else {
      throw ReplicationError.malformed("a section has more columns than items")
    }
  }

  private func beginSection() throws -> [UInt8] {
    try endSection()
    return try read(.section) { try $0.readBytes(count: $0.remaining) }
  }

  private func nextColumn() throws -> Int {
    if columnCount == columns.count {
      columns = try read(.columns) { try $0.readBytes(count: $0.remaining) }
      columnCount = 0
      guard !columns.isEmpty else { throw ReplicationError.malformed("a column record is empty") }
    }
    defer { columnCount += 1 }
    return Int(columns[columnCount])
  }
}

/// Runs `body`, and attributes format errors to the archive instead of the file or the caller.
func refusingArchive<R>(_ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let error as ByteError {
    throw ReplicationError.malformed("\(error)")
  } catch let error as LimitError {
    throw ReplicationError.malformed("\(error)")
  } catch let error as Damage {
    throw ReplicationError.malformed(error.detail)
  }
}

extension ArchiveReader {
  /// Reads an archive's sections and items, and builds their trees in constant memory.
  ///
  /// - Parameters:
  ///   - head: The archive's head, with the numbers of sections and items.
  ///   - filler: The destination of the trees.
  ///   - sortBytesMax: The memory for sorting keys, in bytes.
  /// - Throws: ``ReplicationError``; the errors of writing and of reading chunks.
  func readTrees(
    _ head: ArchiveHead, into filler: SpaceFiller, of store: Store, _ shapes: TreeShapes,
    sortBytesMax: Int
  ) throws -> DatasetTrees {
    var builder = DatasetBuilder(
      into: filler, PooledNodes(store: store), hash: store.hash, shapes: shapes,
      order: head.order, isInOrder: true, sortBytesMax: sortBytesMax)
    return try refusingArchive {
      try readSections(into: &builder)
      try readItems(head.itemCount, into: &builder)
      let trees = try builder.finish {
        ReplicationError.malformed("it has \($0.count) duplicate keys")
      }
      guard trees.sections.count == head.sectionCount, trees.items.count == head.itemCount,
        trees.sections.summary.itemCount == head.itemCount
      else { throw ReplicationError.malformed("its section and item counts differ from its head") }
      return trees
    }
  }

  private func readSections(into builder: inout DatasetBuilder) throws {
    try readAll(.sections) { bytes in
      for entry in try SectionLeaf(from: &bytes).entries {
        try Limits.check(name: entry.key, as: "section key")
        if let style = entry.style { try Limits.check(name: style, as: "style name") }
        try builder.endSection(entry)
      }
    }
  }

  private func readItems(_ itemCount: Int, into builder: inout DatasetBuilder) throws {
    try readAll(.items) { bytes in
      let run = try ItemRun(withDataFrom: &bytes)
      for index in 0..<run.count {
        let keyBytes = run.items.keyBytes[run.items.keyRange(at: index)]
        guard let key = String(validating: keyBytes, as: UTF8.self) else {
          throw bytes.malformed("key")
        }
        try Limits.check(name: key, as: "key")
      }
      guard run.count <= itemCount - builder.itemCount else {
        throw bytes.malformed("count of items")
      }
      try builder.append(run)
    }
  }
}
