package import SumTree

/// The checkpoint that trails behind a row's own: trees of the same owner as they were at an
/// earlier revision, which can still be read.
///
/// What the row's trees have in common with them is in the file anyway. The rows of nodes that
/// nothing but the trailing checkpoint needs are listed here, and deleted when another one
/// takes its place.
package struct TrailingCheckpoint: Hashable, Sendable {
  package let revision: Int
  /// The first node number that its trees do not have.
  package let nextNode: Int64
  /// The roots as the row had them.
  package let roots: [UInt8]
  /// The ids of the rows that nothing else needs, in rising runs.
  private(set) var superseded: [Range<Int64>] = []

  package init(revision: Int, nextNode: Int64, roots: [UInt8]) {
    self.revision = revision
    self.nextNode = nextNode
    self.roots = roots
  }

  /// The number of rows that nothing else needs.
  package var supersededCount: Int { superseded.reduce(0) { $0 + $1.count } }

  /// Adds rows that nothing else needs any more.
  mutating func supersede(_ rows: some Sequence<NodeID>) {
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

  /// Whether a row is one that nothing else needs.
  func isSuperseded(_ id: NodeID) -> Bool {
    let number = Int64(bitPattern: id.rawValue)
    let next = superseded.partition { $0.lowerBound > number }
    return next > 0 && superseded[next - 1].contains(number)
  }
}

// MARK: - Columns

extension TrailingCheckpoint {
  /// The columns that it takes in a row.
  static func columns(roots: String) -> [String] {
    ["trailing_revision", "trailing_next_node", roots, "trailing_nodes"]
  }

  static func values(_ trailing: TrailingCheckpoint?, in space: NodeSpace) -> [ColumnValue] {
    guard let trailing else { return Array(repeating: .null, count: 4) }
    return [
      .number(Int64(trailing.revision)), .number(trailing.nextNode), .bytes(trailing.roots),
      .bytes(trailing.encodedNodes(in: space)),
    ]
  }

  // for each run of rows:
  //   gap    varint, the ids between the run before, or the space's first id, and this one
  //   count  varint, at least 1

  private func encodedNodes(in space: NodeSpace) -> [UInt8] {
    var writer = ByteWriter()
    var end = space.ids.lowerBound
    for run in superseded {
      writer.writeVarint(UInt64(run.lowerBound - end))
      writer.writeCount(run.count)
      end = run.upperBound
    }
    return writer.bytes
  }

  /// Reads the columns.
  ///
  /// - Parameters:
  ///   - space: The owner's; `nil` without one.
  ///   - revision: The row's own.
  /// - Returns: `nil` where nothing trails behind.
  static func read(
    _ columns: inout RowColumns, in space: NodeSpace?, before revision: Int
  ) throws -> TrailingCheckpoint? {
    let number: Int64? = try columns.nextIfPresent()
    let next: Int64? = try columns.nextIfPresent()
    let roots: [UInt8]? = try columns.nextIfPresent()
    let nodes: [UInt8]? = try columns.nextIfPresent()
    guard let number, let next, let roots, let nodes, let space else { return nil }
    guard (0..<Int64(revision)).contains(number), NodeSpace.numbers.contains(next) else {
      throw columns.corrupt("what trails behind is out of range")
    }
    var trailing = TrailingCheckpoint(revision: Int(number), nextNode: next, roots: roots)
    do {
      trailing.superseded = try Self.runs(nodes, in: space)
    } catch {
      throw columns.corrupt("what trails behind: \(error)")
    }
    return trailing
  }

  private static func runs(_ bytes: [UInt8], in space: NodeSpace) throws -> [Range<Int64>] {
    try ByteReader.read(bytes) { reader in
      var runs: [Range<Int64>] = []
      var end = space.ids.lowerBound
      while !reader.isAtEnd {
        let left = Int(space.ids.upperBound - end) + 1
        let start = end + Int64(try reader.readCount(limit: left))
        let count = try reader.readCount(limit: Int(space.ids.upperBound - start) + 1)
        guard count > 0 else { throw reader.malformed("run of nodes") }
        end = start + Int64(count)
        runs.append(start..<end)
      }
      return runs
    }
  }
}

extension Array where Element == Range<Int64> {
  /// The index of the first run for which a condition holds that holds for all behind it.
  fileprivate func partition(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = low + (high - low) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

// MARK: - Moving on

extension NodeWriter {
  /// What trails behind trees that have been stored here.
  ///
  /// A trailing checkpoint stays where it is as long as it is cheap: those who were away for
  /// longer find it. What was written behind it and is not needed any more goes at once.
  ///
  /// - Parameters:
  ///   - present: What has trailed behind so far.
  ///   - last: The owner's checkpoint before, which trails behind otherwise.
  ///   - rows: What the trees of `last` needed and those stored here do not.
  ///   - rowsMax: How many rows `present` may keep for itself; `nil` where it is not to stay.
  package func trail(
    _ present: TrailingCheckpoint?, orElse last: TrailingCheckpoint, leaving rows: Set<NodeID>,
    rowsMax: Int?
  ) throws -> TrailingCheckpoint {
    if var present, let rowsMax {
      let needed = rows.filter { NodeSpace.number(of: $0) < present.nextNode }
      if present.supersededCount + needed.count <= rowsMax {
        try delete(rows: rows.subtracting(needed))
        present.supersede(needed)
        return present
      }
    }
    if let present { try release(present) }
    var last = last
    last.supersede(rows)
    return last
  }
}

extension StoreWriter {
  /// Deletes the rows that nothing but a trailing checkpoint needs.
  package func release(_ trailing: TrailingCheckpoint) throws {
    let statement = try Statement("DELETE FROM nodes WHERE id BETWEEN ? AND ?", db)
    for run in trailing.superseded {
      try statement.run([.number(run.lowerBound), .number(run.upperBound - 1)])
    }
  }
}
