import SumTree
import Testing

@testable import LayoutCache

/// The nodes and the bytes of the data of items.
@Suite struct ItemDataTreeTests {
  private static let shape = TreeShape(leafCapacity: 4, fanOut: 4)

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

  @Test(
    arguments: [
      // No text, no object, white space, more bytes than there are, an item too many.
      [2, 0, 2, 0xFF, 0xFE], [2, 0, 2, 0x5B, 0x5D], [2, 0, 3, 0x7B, 0x20, 0x7D],
      [2, 0, 3, 0x7B, 0x7D], [2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40, 2, 0x7B, 0x7D],
    ] as [[UInt8]])
  func hostileLeafIsRejected(_ bytes: [UInt8]) {
    #expect(throws: ByteError.self) {
      try ByteReader.read(bytes) { reader in try ItemDataLeaf(from: &reader) }
    }
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
