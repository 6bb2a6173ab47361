import LayoutCacheTestSupport
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: an array with the data of each item, in which random runs are replaced, and a tree
// that gets the same changes; small nodes, so that the tree is deep, and few or many items with
// data.
//
// Invariants: every item has the array's data, ranges give their items' data, and a tree that
// is stored and opened again is equal.

@Suite struct ItemDataTreeTests {
  private static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

  @Test(.property, arguments: PropertyRun.seeds)
  func treeHoldsTheDataOfEachItem(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let oneIn = [1, 2, 5, 40][Int(seed % 4)]
    var list: [ItemData?] = []
    var tree = SumTree<ItemDataLeaf>(shape: Self.shape)
    let session = TreeSession()
    for _ in PropertyRun.each(seed, steps: 120) {
      let start = Int.random(in: 0...list.count, using: &generator)
      let end = min(list.count, start + Int.random(in: 0...8, using: &generator))
      var run = ItemDataRun()
      var new: [ItemData?] = []
      for _ in 0..<Int.random(in: 0...9, using: &generator) {
        let data = generator.oneIn(oneIn) ? try Self.data(using: &generator) : nil
        run.append(data)
        new.append(data)
      }
      list.replaceSubrange(start..<end, with: new)
      try tree.replaceItems(start..<end, with: run, in: session)
      try tree.checkInvariants(in: session)
      #expect(tree.count == list.count { $0 != nil })
      for (item, data) in list.enumerated() {
        #expect(
          try tree.data(ofItem: item, in: session) == data,
          "item \(item)")
      }
      #expect(try tree.data(ofItem: list.count, in: session) == nil)
      let range = Self.range(in: list, using: &generator)
      var held = ItemDataRun()
      for data in list[range] { held.append(data) }
      let moved = try tree.run(of: range, in: session)
      #expect(moved == held, "range \(range)")
      var copy = SumTree<ItemDataLeaf>(shape: Self.shape)
      try copy.replaceItems(0..<0, with: moved, in: session)
      for item in range {
        #expect(try copy.data(ofItem: item - range.lowerBound, in: session) == list[item])
      }
    }
  }

  @Test func itemsWithoutDataTakeNoNode() throws {
    var tree = SumTree<ItemDataLeaf>(shape: Self.shape)
    let session = TreeSession()
    try tree.replaceItems(0..<0, with: ItemDataRun(itemCount: 1 << 40), in: session)
    #expect(tree.isEmpty && session.edits.createdNodes == 0)
    let data = try ItemData(json: "{}")
    var run = ItemDataRun()
    run.append(data)
    try tree.replaceItems((1 << 39)..<(1 << 39 + 1), with: run, in: session)
    #expect(tree.count == 1 && session.edits.createdNodes == 1)
    #expect(try tree.data(ofItem: 1 << 39, in: session) == data)
    // Replacing items without data by as many without data is no change.
    try tree.replaceItems(5..<9, with: ItemDataRun(itemCount: 4), in: session)
    #expect(session.edits.createdNodes == 1)
    try tree.replaceItems((1 << 39)..<(1 << 39 + 1), with: ItemDataRun(itemCount: 1), in: session)
    #expect(tree.isEmpty)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func leavesRoundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var run = ItemDataRun()
    for _ in 0..<20 { run.append(generator.oneIn(2) ? try Self.data(using: &generator) : nil) }
    var writer = ByteWriter()
    run.leaf.encode(into: &writer)
    let read = try ByteReader.read(writer.bytes) { reader in
      let leaf = try ItemDataLeaf(from: &reader)
      try reader.expectEnd()
      return leaf
    }
    #expect(read == run.leaf)
  }

  @Test(
    arguments: [
      // No text, no object, white space, more bytes than there are, an item too many.
      [1, 0, 2, 0xFF, 0xFE], [1, 0, 2, 0x5B, 0x5D], [1, 0, 3, 0x7B, 0x20, 0x7D],
      [1, 0, 3, 0x7B, 0x7D], [1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 2, 0x7B, 0x7D],
    ] as [[UInt8]])
  func hostileLeafIsRejected(_ bytes: [UInt8]) {
    #expect(throws: ByteError.self) {
      try ByteReader.read(bytes) { reader in try ItemDataLeaf(from: &reader) }
    }
  }

  private static func range(
    in list: [ItemData?], using generator: inout SeededGenerator
  ) -> Range<Int> {
    let start = Int.random(in: 0...list.count, using: &generator)
    return start..<Int.random(in: start...list.count, using: &generator)
  }

  private static func data(using generator: inout SeededGenerator) throws -> ItemData {
    try ItemData(json: #"{"n":\#(Int.random(in: 0...9999, using: &generator))}"#)
  }
}

@Suite struct ItemDataTests {
  @Test func onlyWhiteSpaceBetweenValuesIsRemoved() throws {
    let data = try ItemData(
      json: " {\n \"a b\" : [ 1.50 , \"x \\\" y \\\\\" , { } ] ,\t\"a b\": null }\r\n")
    #expect(data.json == #"{"a b":[1.50,"x \" y \\",{}],"a b":null}"#)
    #expect(try ItemData(json: data.json) == data)
  }

  @Test(arguments: ["", " ", "[]", "1", "null", "{", "{}{}", "{\"a\":1,}", "{\"a\":\"\\ud800\"}"])
  func dataThatIsNotAnObjectIsRejected(_ json: String) {
    #expect(throws: LimitError(.notAnObject, "data", limit: 0, value: 0)) {
      try ItemData(json: json)
    }
  }

  @Test func bytesAreCountedWithoutWhiteSpace() throws {
    let text = String(repeating: "é", count: (4096 - 8) / 2)
    let json = #"{"a": "\#(text)"}"#
    #expect(try ItemData(json: json).json.utf8.count == 4096)
    #expect(throws: LimitError(.tooLong, "data", limit: 4096, value: 4097)) {
      try ItemData(json: #"{"ab":"\#(text)"}"#)
    }
  }
}
