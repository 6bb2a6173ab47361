import LayoutStore
import SumTree

/// Writes the records of an archive, and passes it on in chunks.
struct ArchiveWriter {
  private let chunkBytes: Int
  private let chunk: ([UInt8]) throws -> Void
  private var pending: [UInt8] = []
  private var payload = ByteWriter()
  private var record = ByteWriter()
  private var byteCount = 0
  private var digest = RunningDigest()

  /// - Parameter chunk: Receives `chunkBytes` bytes at a time, and finally the rest.
  init(chunkBytes: Int, chunk: @escaping ([UInt8]) throws -> Void) throws {
    (self.chunkBytes, self.chunk) = (chunkBytes, chunk)
    record.writeBytes(ArchiveRecord.magic)
    try append()
  }

  /// Writes a record.
  ///
  /// - Throws: The errors of `encode` and of `chunk`.
  mutating func write(
    _ kind: ArchiveRecord, _ encode: (inout ByteWriter) throws -> Void
  ) throws {
    payload.removeAll()
    try encode(&payload)
    record.writeUInt8(kind.rawValue)
    record.writeCount(payload.count)
    record.writeBytes(payload.bytes)
    try append()
    LongWork.giveWay()
  }

  /// Ends the archive.
  ///
  /// - Returns: Its length, and the digest of everything before the last record.
  mutating func finish() throws -> (byteCount: Int, digest: [UInt8]) {
    let digest = digest.bytes
    try write(.end) { $0.writeBytes(digest) }
    if !pending.isEmpty { try chunk(pending) }
    pending = []
    return (byteCount, digest)
  }

  /// Appends the written bytes as one piece.
  private mutating func append() throws {
    record.bytes.withUnsafeBytes { digest.append($0) }
    byteCount += record.count
    pending += record.bytes
    record.removeAll()
    while pending.count >= chunkBytes {
      try chunk(Array(pending.prefix(chunkBytes)))
      pending.removeFirst(chunkBytes)
    }
  }
}

extension ArchiveWriter {
  /// Writes sections and items in runs that do not depend on the leaves that contain them.
  ///
  /// - Parameter layouts: The dataset's layouts. Lengths that were measured for others are
  ///   garbage, of which files with the same history may have different amounts.
  mutating func write(
    _ trees: DatasetTrees, measuredIn layouts: Set<Int64>, in session: TreeSession
  ) throws {
    try writeSections(of: trees, layouts, in: session)
    try writeItems(of: trees, layouts, in: session)
  }

  private mutating func writeSections(
    of trees: DatasetTrees, _ layouts: Set<Int64>, in session: TreeSession
  ) throws {
    var run = SectionLeaf()
    try trees.sections.forEachLeaf(in: session) { leaf, _ in
      for var entry in leaf.entries {
        entry.supplementaryLengths = entry.supplementaryLengths.filter { layouts.contains($0.key) }
        run.entries.append(entry)
        guard run.count == ArchiveRecord.runCount else { continue }
        try write(.sections) { run.encode(into: &$0) }
        run.entries.removeAll(keepingCapacity: true)
      }
    }
    if run.count > 0 { try write(.sections) { run.encode(into: &$0) } }
  }

  private mutating func writeItems(
    of trees: DatasetTrees, _ layouts: Set<Int64>, in session: TreeSession
  ) throws {
    var data = ItemDataFinger(trees.data, in: session)
    var run = ItemLeaf()
    var start = 0
    func write(_ writer: inout ArchiveWriter) throws {
      run.removeLengths { !layouts.contains($0) }
      let items = ItemRun(run, try data.run(of: start..<(start + run.count)))
      try writer.write(.items) { items.encodeWithData(into: &$0) }
      start += run.count
      run = ItemLeaf()
    }
    try trees.items.forEachLeaf(in: session) { leaf, _ in
      var next = 0
      while next < leaf.count {
        let end = min(leaf.count, next + ArchiveRecord.runCount - run.count)
        run.append(leaf.slice(next..<end))
        next = end
        if run.count == ArchiveRecord.runCount { try write(&self) }
      }
    }
    if run.count > 0 { try write(&self) }
  }
}
