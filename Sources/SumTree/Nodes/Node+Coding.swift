// The payload of a node:
//
//     height       u8      0 for a leaf
//     leaf         …       the leaf's own bytes, if height is 0; otherwise
//     childCount   varint  at least 1
//     child × childCount:
//       id         varint  not 0
//       count      varint  elements below, at least 1
//       summary    …       the summary's own bytes
//     (at most TreeShape.storedFanOutMax children)
//
// No bytes may follow. Checksums and versions are handled by the store.

extension Node {
  /// Appends the payload of this node.
  ///
  /// - Parameter childIDs: The ids of the children, in order; empty for a leaf.
  @inlinable
  func encode(into writer: inout ByteWriter, childIDs: [NodeID]) {
    switch content {
    case .leaf(let leaf):
      assert(childIDs.isEmpty)
      writer.writeUInt8(0)
      leaf.encode(into: &writer)
    case .inner(let height, let children):
      assert(childIDs.count == children.count)
      writer.writeUInt8(UInt8(height))
      writer.writeCount(children.count)
      for index in children.indices {
        writer.writeVarint(childIDs[index].rawValue)
        writer.writeCount(children.counts[index])
        children.summaries[index].encode(into: &writer)
      }
    }
  }

  /// Decodes a payload and checks it against the facts recorded in the parent.
  ///
  /// - Parameters:
  ///   - id: The node's ID, for errors.
  ///   - height: The expected height.
  ///   - count: The expected number of elements below.
  ///   - summary: The summary in the parent; `nil` if it is irrelevant.
  /// - Throws: `TreeError`: `malformedNode`, `wrongHeight`, `wrongCount`, `wrongSummary` or
  ///   `emptyNode`.
  @inlinable
  static func decode(
    from reader: inout ByteReader, id: NodeID, height: Int, count: Int,
    summary: Leaf.LeafSummary? = nil
  ) throws -> Node<Leaf> {
    do {
      let storedHeight = Int(try reader.readUInt8())
      guard storedHeight == height else {
        throw TreeError(.wrongHeight, node: id, expected: height, actual: storedHeight)
      }
      let content: Content
      let storedCount: Int
      let isSummed: Bool
      if height == 0 {
        let leaf = try Leaf(from: &reader)
        content = .leaf(leaf)
        storedCount = leaf.count
        isSummed = summary.map { leaf.isSummed(by: $0) } ?? true
      } else {
        let children = try decodeChildren(from: &reader, id: id, count: count)
        content = .inner(height: height, children: children)
        storedCount = children.counts.reduce(0, +)
        isSummed = summary.map { $0.isProduct(of: children.summaries) } ?? true
      }
      try reader.expectEnd()
      guard storedCount == count else {
        throw TreeError(.wrongCount, node: id, expected: count, actual: storedCount)
      }
      guard isSummed else { throw TreeError(.wrongSummary, node: id) }
      return Node(content)
    } catch let error as ByteError {
      throw TreeError(.malformedNode, node: id, bytes: error)
    }
  }

  @inlinable
  static func decodeChildren(
    from reader: inout ByteReader, id: NodeID, count: Int
  ) throws -> Children<Leaf> {
    // An ID and a count take at least a byte each; a summary may take none.
    let childCount = try reader.readCount(limit: min(count, TreeShape.storedFanOutMax), sizeMin: 2)
    guard childCount > 0 else { throw TreeError(.emptyNode, node: id) }
    var children = Children<Leaf>()
    children.reserveCapacity(childCount)
    var rest = count
    for _ in 0..<childCount {
      let childID = try reader.readNodeID()
      let below = try reader.readCount(limit: rest)
      guard below > 0 else { throw TreeError(.emptyNode, node: childID) }
      rest -= below
      let summary = try Leaf.LeafSummary(from: &reader)
      children.append(Child(summary: summary, count: below, ref: NodeRef(childID)))
    }
    return children
  }
}
