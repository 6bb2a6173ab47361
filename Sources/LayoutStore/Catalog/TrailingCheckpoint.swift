package import SumTree

/// An earlier checkpoint of an owner that can still be read: its trees at a revision.
///
/// An owner's trailing checkpoints are a chain, oldest first. They share most nodes with each
/// other and with the owner's row. Each lists the rows of nodes that were superseded between it
/// and its successor: only it and older ones need those. When one is released, its rows are
/// deleted, except those that the one before it needs too.
package struct TrailingCheckpoint: Hashable, Sendable {
  package let revision: Int
  /// The first node number that its trees do not use.
  package let nextNode: Int64
  /// The root, as in the owner's row at that revision.
  package let root: [UInt8]
  /// The ids of the rows that only this checkpoint and older ones need, in ascending runs.
  private(set) var superseded: [Range<Int64>] = []

  package init(revision: Int, nextNode: Int64, root: [UInt8]) {
    self.revision = revision
    self.nextNode = nextNode
    self.root = root
  }

  /// The number of rows that only this checkpoint and older ones need.
  package var supersededCount: Int { superseded.reduce(0) { $0 + $1.count } }

  /// Returns whether the checkpoint's trees may use a row that the owner's trees used until now.
  package func needs(_ row: NodeID) -> Bool { NodeSpace.number(of: row) < nextNode }

  /// Returns the number of superseded rows that an earlier checkpoint, or this one, needs.
  package func supersededCount(neededBy earlier: TrailingCheckpoint) -> Int {
    superseded.joined().count { id in
      NodeID(rawValue: UInt64(id)).map(earlier.needs) ?? false
    }
  }

  /// Adds rows that the owner's trees no longer need.
  fileprivate mutating func supersede(_ rows: some Sequence<NodeID>) {
    let added = rows.map { id -> Range<Int64> in
      let number = Int64(bitPattern: id.rawValue)
      return number..<(number + 1)
    }
    var runs: [Range<Int64>] = []
    for run in (superseded + added).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = runs.last, last.upperBound == run.lowerBound {
        runs[runs.count - 1] = last.lowerBound..<run.upperBound
      } else {
        runs.append(run)
      }
    }
    superseded = runs
  }

  /// Returns whether a row is in the list of superseded rows.
  func isSuperseded(_ id: NodeID) -> Bool {
    let number = Int64(bitPattern: id.rawValue)
    let next = superseded.partition { $0.lowerBound > number }
    return next > 0 && superseded[next - 1].contains(number)
  }
}

// MARK: - Bytes

extension [TrailingCheckpoint] {
  // for each checkpoint, oldest first:
  //   revision   varint
  //   next node  varint
  //   root       count of bytes, bytes
  //   runs       count, and for each run of rows:
  //     gap      varint, the ids between the run before, or the space's first id, and this one
  //     count    varint, at least 1

  func encoded(in space: NodeSpace) -> [UInt8] {
    var writer = ByteWriter()
    for checkpoint in self {
      writer.writeCount(checkpoint.revision)
      writer.writeVarint(UInt64(checkpoint.nextNode))
      writer.writeCounted(checkpoint.root)
      writer.writeCount(checkpoint.superseded.count)
      var end = space.ids.lowerBound
      for run in checkpoint.superseded {
        writer.writeVarint(UInt64(run.lowerBound - end))
        writer.writeCount(run.count)
        end = run.upperBound
      }
    }
    return writer.bytes
  }

  /// - Parameters:
  ///   - space: The owner's space.
  ///   - revision: The revision of the owner's row. All checkpoints are earlier.
  init(encoded bytes: [UInt8], in space: NodeSpace, before revision: Int) throws {
    self = try ByteReader.read(bytes) { reader in
      var chain: [TrailingCheckpoint] = []
      while !reader.isAtEnd {
        let number = try reader.readCount(limit: Swift.max(revision - 1, 0))
        let next = Int64(try reader.readCount(limit: Int(NodeSpace.numbers.upperBound)))
        guard number < revision, number > chain.last?.revision ?? -1,
          next >= chain.last?.nextNode ?? NodeSpace.numbers.lowerBound
        else { throw reader.malformed("order of trailing checkpoints") }
        let root = try reader.readCounted(limit: bytes.count)
        var checkpoint = TrailingCheckpoint(revision: number, nextNode: next, root: root)
        try checkpoint.readRuns(from: &reader, in: space)
        chain.append(checkpoint)
      }
      return chain
    }
  }
}

extension TrailingCheckpoint {
  fileprivate mutating func readRuns(
    from reader: inout ByteReader, in space: NodeSpace
  ) throws(ByteError) {
    var end = space.ids.lowerBound
    for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 2)) {
      let left = Int(space.ids.upperBound - end) + 1
      let start = end + Int64(try reader.readCount(limit: left))
      let count = try reader.readCount(limit: Int(space.ids.upperBound - start) + 1)
      guard count > 0 else { throw reader.malformed("run of nodes") }
      end = start + Int64(count)
      superseded.append(start..<end)
    }
  }
}

extension Array where Element == Range<Int64> {
  /// Returns the index of the first run for which a condition holds. The condition holds for all
  /// later runs.
  fileprivate func partition(_ isLater: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isLater(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - Growing and shrinking

extension NodeWriter {
  /// Retires rows that the trees stored here no longer need: those that the newest trailing
  /// checkpoint needs are added to its list, all other rows are deleted.
  package func retire(_ rows: Set<NodeID>, trailing chain: inout [TrailingCheckpoint]) throws {
    guard let newest = chain.last else { return try delete(rows: rows) }
    // A row that the newest checkpoint lacks was stored later, so no older checkpoint has it.
    let needed = rows.filter(newest.needs)
    try delete(rows: rows.subtracting(needed))
    chain[chain.count - 1].supersede(needed)
  }
}

extension StoreWriter {
  /// Removes a checkpoint from a chain, and deletes the rows that no other one needs.
  package func release(at index: Int, of chain: inout [TrailingCheckpoint]) throws {
    let released = chain.remove(at: index)
    let rows = released.superseded.joined().compactMap { NodeID(rawValue: UInt64($0)) }
    guard index > 0 else { return try deleteRows(rows) }
    let earlier = chain[index - 1]
    try deleteRows(rows.filter { !earlier.needs($0) })
    chain[index - 1].supersede(rows.filter(earlier.needs))
  }

  package func release(_ chain: inout [TrailingCheckpoint]) throws {
    while !chain.isEmpty { try release(at: 0, of: &chain) }
  }
}
