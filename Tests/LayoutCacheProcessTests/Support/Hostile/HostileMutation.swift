import Foundation
import LayoutCacheTestSupport
import TestSupport

/// A mutation that damages a file and keeps its checksums valid.
struct HostileMutation: CustomStringConvertible {
  private(set) var description = ""
  /// Whether only results of layouts are affected, which can be computed again.
  private(set) var isDerived = true

  /// Damages a file at one to three places.
  mutating func apply(
    to path: String, of fixture: HostileFixture, using generator: inout SeededGenerator
  ) throws {
    let count = [1, 1, 1, 2, 3].randomElement(using: &generator)!
    for _ in 0..<count {
      if generator.oneIn(3) {
        let tree = try HostileTree(path: path, fixture: fixture).change(using: &generator)
        note(tree.what, isDerived: tree.isDerived)
        continue
      }
      let file = try HostileFile(path: path)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0, 1: try changeNumber(file, using: &generator)
      case 2: try changeBytes(file, using: &generator)
      default: try changeNode(file, using: &generator)
      }
    }
  }

  private mutating func note(_ what: String, isDerived: Bool) {
    description += (description.isEmpty ? "" : "; ") + what
    self.isDerived = self.isDerived && isDerived
  }

  private mutating func changeNumber(
    _ file: HostileFile, using generator: inout SeededGenerator
  ) throws {
    if generator.oneIn(20) {
      let next = number(Int64.random(in: 0...20, using: &generator), using: &generator)
      try file.execute("UPDATE database SET next_space = ?", [.number(next)])
      return note("next_space = \(next)", isDerived: false)
    }
    guard let (table, row) = try randomRow(of: file, using: &generator),
      let name = table.numbers.randomElement(using: &generator),
      let column = table.columns.firstIndex(of: name),
      let old = row[column].number
    else { return }
    var new = row
    let value: Int64
    if generator.oneIn(4) {
      let others = row.compactMap(\.number)
      value = others.randomElement(using: &generator) ?? old
    } else {
      value = number(old, using: &generator)
    }
    new[column] = .number(value)
    try file.replace(row, with: new, in: table)
    // An impossible number makes the row unreadable, and the values in it.
    note(
      "\(table.name).\(name) \(old) = \(value)",
      isDerived: table.name == "layouts" && (1...(1 << 37)).contains(value)
        && ["next_node", "revision"].contains(name))
  }

  private func number(_ old: Int64, using generator: inout SeededGenerator) -> Int64 {
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: old &+ 1
    case 1: old &- 1
    case 2: 0 &- old
    default:
      Int64(truncatingIfNeeded: HostileBytes.extremes.randomElement(using: &generator)!)
        &* (generator.oneIn(4) ? -1 : 1)
    }
  }

  private mutating func changeBytes(
    _ file: HostileFile, using generator: inout SeededGenerator
  ) throws {
    guard let (table, row) = try randomRow(of: file, using: &generator),
      let column = table.columns.firstIndex(of: table.bytes),
      let old = row[column].bytes
    else { return }
    var bytes = HostileBytes(bytes: old, known: try file.nodeIDs().map { UInt64(bitPattern: $0) })
    let what = bytes.change(using: &generator)
    var new = row
    new[column] = .bytes(bytes.bytes)
    try file.replace(row, with: new, in: table)
    note(
      "\(table.name) \(row[0]).\(table.bytes): \(what)",
      isDerived: ["layouts", "contexts"].contains(table.name))
  }

  private func randomRow(
    of file: HostileFile, using generator: inout SeededGenerator
  ) throws -> (table: HostileTable, row: [RawDatabase.Value])? {
    let table = HostileTable.all.randomElement(using: &generator)!
    return try file.values(of: table).randomElement(using: &generator).map { (table, $0) }
  }

  private mutating func changeNode(
    _ file: HostileFile, using generator: inout SeededGenerator
  ) throws {
    let ids = try file.nodeIDs()
    guard let id = ids.randomElement(using: &generator),
      let other = ids.randomElement(using: &generator)
    else { return }
    var bytes = HostileBytes(
      bytes: try file.payload(of: generator.oneIn(8) ? other : id),
      known: ids.map { UInt64(bitPattern: $0) })
    let what = bytes.change(using: &generator)
    try file.put(bytes.bytes, at: id)
    let spaces = try file.rows("SELECT space FROM datasets").compactMap { $0[0].number }
    note("node \(id): \(what)", isDerived: !spaces.contains(id >> 38))
  }
}
