package import SumTree

extension StoreReader: NodeSource {
  /// Reads a node's payload and verifies its checksum; for a difference, also its base's.
  ///
  /// - Throws: ``StoreError`` with `missingNode` or `corruptNode`.
  package func withPayload<R>(
    of id: NodeID, _ body: (inout ByteReader) throws -> R
  ) throws -> R {
    let nodeIDs = NodeSpace(of: id).nodeIDs
    guard NodeSpace.isDifference(id) else {
      return try withRow(of: id) { bytes in
        var reader = ByteReader(bytes, nodeIDs: nodeIDs)
        return try body(&reader)
      }
    }
    let difference = try difference(id)
    let payload: [UInt8]
    do {
      payload = try withRow(of: difference.base) { try difference.payload(from: $0) }
    } catch let error as ByteError {
      throw StoreError(.corruptNode(id, detail: error.description), path: path)
    }
    return try ByteReader.read(payload, nodeIDs: nodeIDs, body)
  }

  /// Returns the difference that is stored in place of a node.
  ///
  /// - Throws: ``StoreError`` with `missingNode` or `corruptNode`.
  func difference(_ id: NodeID) throws -> NodeDifference {
    try withRow(of: id) { bytes in
      do throws(ByteError) {
        return try NodeDifference(from: bytes, in: NodeSpace(of: id))
      } catch {
        throw StoreError(.corruptNode(id, detail: error.description), path: path)
      }
    }
  }

  /// Reads the sealed content of a row and verifies its checksum.
  ///
  /// - Parameter body: A closure that reads no other row.
  /// - Throws: ``StoreError`` with `missingNode` or `corruptNode`; errors of `body`.
  func withRow<R>(
    of id: NodeID, _ body: (UnsafeRawBufferPointer) throws -> R
  ) throws -> R {
    let statement = try Statement("SELECT payload FROM nodes WHERE id = ?", db)
    statement.bind(.number(Int64(bitPattern: id.rawValue)), at: 1)
    guard let row = try statement.next() else { throw StoreError(.missingNode(id), path: path) }
    // A value that is not a blob has no seal.
    let blob = row.bytes(at: 0) ?? UnsafeRawBufferPointer(start: nil, count: 0)
    return try body(Seal.open(blob, of: id, hash: hash, path: path))
  }

  /// Returns the number of a space's rows that are only bases of differences, not nodes.
  ///
  /// - Throws: ``StoreError`` with `corruptNode`.
  /// - Complexity: O(differences).
  package func baseCount(in space: NodeSpace) throws -> Int {
    let ids = try Statement("SELECT id FROM nodes WHERE id BETWEEN ? AND ?", db)
      .values(
        [.number(space.differenceIDs.lowerBound), .number(space.differenceIDs.upperBound)],
        as: Int64.self)
    let bases = try Set(
      ids.compactMap { NodeID(rawValue: UInt64($0)) }.map { try difference($0).base })
    return try bases.count { base in
      try Statement("SELECT 1 FROM nodes WHERE id = ?", db)
        .value([.number(Int64(bitPattern: base.rawValue))], as: Int64.self) != nil
    }
  }
}
