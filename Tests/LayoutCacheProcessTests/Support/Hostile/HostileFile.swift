import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import SumTree
import TestSupport

@testable import LayoutCache

/// A database file that is modified without the library, with valid checksums: their key is in
/// the file.
struct HostileFile {
  private let database: RawDatabase
  let hash: KeyedHash

  init(path: String) throws {
    database = try RawDatabase(path: path)
    let key = try database.rows("SELECT hash_key FROM database").first?[0].bytes
    hash = KeyedHash(key: key ?? [])
    try execute("PRAGMA foreign_keys = OFF")
    try execute("PRAGMA ignore_check_constraints = ON")
  }

  /// Runs a statement.
  func execute(_ sql: String, _ values: [RawDatabase.Value] = []) throws {
    try database.execute(sql, values)
  }

  /// The rows of a query.
  func rows(_ sql: String, _ values: [RawDatabase.Value] = []) throws -> [[RawDatabase.Value]] {
    try database.rows(sql, values)
  }
}

// MARK: - Nodes

extension HostileFile {
  /// The ids of all nodes.
  func nodeIDs() throws -> [Int64] {
    try rows("SELECT id FROM nodes ORDER BY id").compactMap { $0[0].number }
  }

  /// The content of a node's seal.
  func payload(of id: Int64) throws -> [UInt8] {
    let blob = try rows("SELECT payload FROM nodes WHERE id = ?", [.number(id)])[0][0].bytes
    return [UInt8]((blob ?? []).dropFirst(Seal.headerBytes))
  }

  /// Replaces a node, with a valid seal.
  func put(_ payload: [UInt8], at id: Int64) throws {
    let blob = Seal.seal(payload, identity: UInt64(bitPattern: id), hash: hash)
    try execute(
      "INSERT OR REPLACE INTO nodes (id, payload) VALUES (?, ?)", [.number(id), .bytes(blob)])
  }
}

// MARK: - Rows

/// A table whose rows are sealed.
struct HostileTable {
  let name: String
  let columns: [String]
  /// The columns that are not numbers.
  let others: Set<String>

  static let all = [
    HostileTable(
      name: "datasets",
      columns: [
        "id", "name", "space", "next_node", "revision", "section_count", "item_count", "roots",
        "incarnation",
      ], others: ["name", "roots"]),
    HostileTable(
      name: "layouts",
      columns: [
        "id", "dataset", "name", "configuration", "lengths_since", "space", "next_node",
        "revision", "root", "result_configuration", "incarnation", "rules", "history_begin",
        "undo", "template",
      ], others: ["name", "configuration", "root", "result_configuration", "undo"]),
    HostileTable(
      name: "log",
      columns: [
        "dataset", "revision", "operations", "payload", "contexts", "time", "total_operations",
        "total_bytes",
      ], others: ["payload", "contexts"]),
    HostileTable(
      name: "contexts",
      columns: ["space", "end_revision", "start_revision", "context", "total_bytes"],
      others: ["context"]),
  ]

  var numbers: [String] { columns.filter { !others.contains($0) } }
  /// The column with the engine's bytes.
  var bytes: String {
    switch name {
    case "datasets": "roots"
    case "layouts": "root"
    case "contexts": "context"
    default: "payload"
    }
  }
}

extension HostileFile {
  /// The values of a table's rows, except the checksums.
  func values(of table: HostileTable) throws -> [[RawDatabase.Value]] {
    try rows("SELECT \(table.columns.joined(separator: ", ")) FROM \(table.name)")
  }

  /// Replaces a row with another, with a valid checksum.
  func replace(
    _ old: [RawDatabase.Value], with new: [RawDatabase.Value], in table: HostileTable
  ) throws {
    let keys =
      switch table.name {
      case "log": ["dataset", "revision"]
      case "contexts": ["space", "end_revision", "start_revision"]
      default: ["id"]
      }
    let condition = keys.map { "\($0) = ?" }.joined(separator: " AND ")
    let list = (table.columns + ["checksum"]).joined(separator: ", ")
    let places = Array(repeating: "?", count: new.count + 1).joined(separator: ", ")
    try execute("DELETE FROM \(table.name) WHERE \(condition)", Array(old.prefix(keys.count)))
    try execute(
      "INSERT OR REPLACE INTO \(table.name) (\(list)) VALUES (\(places))",
      new + [.number(checksum(of: new))])
  }

  /// As specified in docs/FORMAT.md.
  private func checksum(of values: [RawDatabase.Value]) -> Int64 {
    var writer = ByteWriter()
    for value in values {
      switch value {
      case .null: writer.writeUInt8(0)
      case .number(let number):
        writer.writeUInt8(1)
        writer.writeSignedVarint(number)
      case .text(let text): write(Array(text.utf8), to: &writer)
      case .bytes(let bytes): write(bytes, to: &writer)
      }
    }
    return Int64(bitPattern: writer.bytes.withUnsafeBytes { hash($0) })
  }

  private func write(_ bytes: [UInt8], to writer: inout ByteWriter) {
    writer.writeUInt8(1)
    writer.writeCount(bytes.count)
    writer.writeBytes(bytes)
  }
}

/// Changes a leaf of a stored tree and its ancestors, so that each node agrees with its parent:
/// only a comparison between trees can detect the damage.
struct HostileTree {
  let path: String
  let fixture: HostileFixture

  /// Changes a leaf.
  ///
  /// - Returns: A description of the change, and whether it is in the result of a layout.
  func change(using generator: inout SeededGenerator) throws -> (what: String, isDerived: Bool) {
    let store = try Store(path: path, options: StoreOptions())
    var random = generator
    defer { generator = random }
    do {
      return try store.write { writer in
        let row = try writer.reader.requireDataset("feed")
        let layouts = try writer.reader.layouts(of: row.id).filter { $0.result != nil }
        if random.oneIn(3) || layouts.isEmpty {
          return (try changeDataset(row, writer, using: &random), false)
        }
        let layout = layouts.randomElement(using: &random)!
        return (try changeResult(of: layout, writer, using: &random), true)
      }
    } catch {
      // Earlier damage makes the tree unreadable.
      return ("a tree that can't be read", true)
    }
  }

  private func changeDataset(
    _ row: DatasetRow, _ writer: StoreWriter, using generator: inout SeededGenerator
  ) throws -> String {
    var row = row
    var trees = try DatasetTrees(row, writer.reader, fixture.options.treeShapes)
    let session = TreeSession(writer.reader)
    let what: String
    switch Int.random(in: 0..<5, using: &generator) {
    case 4: what = try "data: " + change(&trees.data, session, using: &generator)
    case 0: what = try "items: " + change(&trees.items, session, using: &generator)
    case 1: what = try "sections: " + change(&trees.sections, session, using: &generator)
    case 2: what = try "item keys: " + change(&trees.itemKeys.tree, session, using: &generator)
    default:
      what = try "section keys: " + change(&trees.sectionKeys.tree, session, using: &generator)
    }
    let sink = writer.nodeSink(in: row.space, next: row.nextNode)
    try trees.store(into: sink)
    row.nextNode = sink.next
    row.roots = trees.encodedRoots
    try writer.put(row)
    return what
  }

  private func changeResult(
    of row: LayoutRow, _ writer: StoreWriter, using generator: inout SeededGenerator
  ) throws -> String {
    var row = row
    guard let old = row.result, let stored = try row.results(fixture.options.treeShapes),
      !stored.tree.isEmpty
    else { return "nothing" }
    var (results, measured) = stored
    let session = TreeSession(writer.reader)
    let sink = writer.nodeSink(in: old.space, next: old.nextNode)
    let index = Int.random(in: 0..<results.count, using: &generator)
    let found = try results.place(at: index, in: session)
    var entry = found.leaf.entries[found.index]
    var what = "\(row.name), section \(index): "
    switch entry.content.kept {
    case let kept as StoredWaterfall:
      what += try change(kept, &entry, sink, session, using: &generator)
    case let kept as KeptLines:
      what += try change(kept, &entry, sink, session, using: &generator)
    case let kept as KeptCustom:
      what += try change(kept, &entry, sink, session, using: &generator)
    default: break
    }
    try results.updateLeaf(containing: index, in: session) { leaf, start in
      leaf.entries[index - start] = entry
    }
    if generator.oneIn(3) {
      try what += " sections: " + change(&results, session, using: &generator)
    }
    if generator.oneIn(6) {
      let units = Int64.random(in: 1...Limits.sideMax.units, using: &generator)
      measured[.layoutHeader] = Length(units: units)
      what += " header"
    }
    try results.store(into: sink).publish()
    row.result?.nextNode = sink.next
    row.result?.root = results.encodedRoot(measured: measured)
    try writer.put(row)
    return what
  }

  private func change<Kept: KeptTree>(
    _ kept: Kept, _ entry: inout SectionResult, _ sink: any NodeSink, _ session: TreeSession,
    using generator: inout SeededGenerator
  ) throws -> String {
    var kept = kept
    let what = try change(&kept.tree, session, using: &generator)
    try kept.store(into: sink)
    entry.content = SectionContent(kept)
    return what
  }

  private func change<Leaf: TreeLeaf>(
    _ tree: inout SumTree<Leaf>, _ session: TreeSession,
    using generator: inout SeededGenerator
  ) throws -> String {
    if tree.isEmpty { return "nothing" }
    // Nodes of any size are valid.
    let shapes = [
      tree.shape, TreeShape(leafCapacity: 1, fanOut: 3),
      TreeShape(leafCapacity: 300, fanOut: 300),
    ]
    if generator.oneIn(3) {
      tree = tree.shaped(shapes.randomElement(using: &generator)!)
      let start = Int.random(in: 0..<tree.count, using: &generator)
      let end = Int.random(in: start...tree.count, using: &generator)
      var run: Leaf?
      try tree.forEachLeaf(overlapping: start..<end, in: session) { leaf, first in
        let wanted = (start..<end).clamped(to: first..<(first + leaf.count))
        let part = leaf.slice((wanted.lowerBound - first)..<(wanted.upperBound - first))
        run = run.map { $0.joined(with: part) } ?? part
      }
      try tree.replaceSubrange(start..<end, with: run, in: session)
    }
    var random = generator
    defer { generator = random }
    var what = "nothing"
    let place = Int.random(in: 0..<tree.count, using: &random)
    try tree.updateLeaf(containing: place, in: session) { leaf, _ in
      var writer = ByteWriter()
      leaf.encode(into: &writer)
      // Most changes give an invalid leaf, or one of another length.
      for _ in 0..<40 {
        var bytes = HostileBytes(bytes: writer.bytes)
        let change = bytes.change(using: &random)
        let changed = try? ByteReader.read(bytes.bytes) { reader in
          let leaf = try Leaf(from: &reader)
          try reader.expectEnd()
          return leaf
        }
        guard let changed, changed.count == leaf.count else { continue }
        (leaf, what) = (changed, "leaf at \(place): \(change)")
        return
      }
    }
    return what
  }
}
