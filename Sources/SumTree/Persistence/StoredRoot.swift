/// The data required to open a stored tree: its root node's ID, and the facts that a parent
/// would record.
@usableFromInline package struct StoredRoot<TreeSummary: Summary>: Equatable, Sendable {
  /// The root node.
  @usableFromInline package let id: NodeID

  /// The number of levels above the leaves, 0 through `TreeShape.storedHeightMax`.
  @usableFromInline package let height: Int

  /// The number of elements; at least 1.
  @usableFromInline package let count: Int

  /// The product of all elements' summaries.
  @usableFromInline package let summary: TreeSummary

  /// The greatest valid count in a file, far below overflow.
  @usableFromInline static var countMax: Int { 1 << 48 }

  @inlinable
  package init(id: NodeID, height: Int, count: Int, summary: TreeSummary) {
    self.id = id
    self.height = height
    self.count = count
    self.summary = summary
  }

  /// Appends the root's bytes: id (varint), height (u8), count (varint), and
  /// the summary.
  @inlinable
  package func encode(into writer: inout ByteWriter) {
    writer.writeVarint(id.rawValue)
    writer.writeUInt8(UInt8(height))
    writer.writeCount(count)
    summary.encode(into: &writer)
  }

  /// Reads a root.
  ///
  /// - Throws: `ByteError` for bytes that `encode(into:)` cannot have written.
  @inlinable
  package init(from reader: inout ByteReader) throws(ByteError) {
    id = try reader.readNodeID()
    height = Int(try reader.readUInt8())
    guard height <= TreeShape.storedHeightMax else { throw reader.malformed("root height") }
    count = try reader.readCount(limit: Self.countMax)
    guard count > 0 else { throw reader.malformed("a stored tree is never empty") }
    summary = try TreeSummary(from: &reader)
  }
}
