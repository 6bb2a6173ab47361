import CollectionLayout
import LayoutCache
import LayoutGeometry
import LayoutReplication
import SumTree
import TestSupport
import Testing

// Strategy: operations of every case, with extreme values, are encoded and decoded. The bytes are
// then truncated at every offset, and changed at random ones.

@Suite struct OperationCodingTests {
  /// Texts that are equal by Unicode's rules, and others that are invalid as keys.
  private static let texts = [
    "", "\0", "\u{E9}", "e\u{301}", "\u{FEFF}x", "\u{10FFFF}", "👩‍👩‍👧‍👦", "a\r\n\"\\",
    String(repeating: "\u{1D11E}", count: 100),
  ]

  private static func operations() throws -> [BatchOperation] {
    let lengths: [Length?] = [nil, Length(units: .min), 0, Length(units: .max)]
    let data = try [#"{}"#, #"{"a":1.50,"b":-0.0,"a":null}"#, "{\"\u{E9}\":\"e\u{301}\"}"].map {
      try ItemData(json: $0)
    }
    let side = Limits.sideMax.points
    let items = [
      try Item(key: "\u{E9}", width: side, height: 1.0 / 64, columnSpan: Limits.columnSpanMax),
      try Item(key: "e\u{301}", width: 1, height: 2, data: data[2], visibility: .collapsed),
      try Item(key: "h", width: 1, height: 2, data: data[1], visibility: .hidden),
    ]
    let upserted = [
      try UpsertedItem(key: "a", width: side, height: 1),
      try UpsertedItem(
        key: "b", width: 1, height: 1, columnSpan: 3, data: .set(data[0]), visibility: .shown),
      try UpsertedItem(key: "c", width: 1, height: 1, data: .remove, visibility: .collapsed),
    ]
    var operations: [BatchOperation] = [
      .insert([], at: .ordered), .upsert([], section: nil), .delete(keys: []),
      .match([], missing: .keep), .invalidate(layout: "l"),
      .match([
        MatchedSection(key: "s", items: items), MatchedSection(key: "", style: "", items: []),
      ]),
      .preferLengths(layout: "l", [], missing: .ignore), .hide(keys: [], .hidden),
      .insert(items, at: .index(.min, section: "s")),
      .move(key: "a", to: .index(.max, section: "")),
      .upsert(upserted, section: "s", moving: true), .hide(keys: ["a"], .shown),
    ]
    for text in texts {
      operations += [
        .insert(items, at: .end(section: text)), .move(key: text, to: .before(text)),
        .move(key: "a", to: .after(text)), .delete(keys: texts, missing: .ignore),
        .hide(keys: [text], .collapsed), .resetLengths(layout: text), .data(key: text, nil),
        .insertSection(key: text), .insertSection(key: "s", index: -1, style: text),
        .style(section: text, style: nil), .style(section: "s", style: text),
        .deleteSection(key: text), .deleteSection(key: text, missing: .ignore),
        .moveSection(key: text, index: .max), .rebalance(layout: text),
        .rebalance(layout: "l", section: text, from: text),
        .invalidate(layout: text, items: texts, sections: [text], everything: true),
        .invalidateElements(layout: "l", kinds: texts, sections: [text]),
        .mark(source: text, position: "p"), .mark(source: "s", position: text, after: .none),
        .mark(source: "s", position: "p", after: .position(text)),
      ]
    }
    for length in lengths {
      operations += [
        .prefer(layout: "l", key: "a", length: length, crossLength: nil),
        .prefer(layout: "l", key: "a", length: nil, crossLength: length),
        .preferLengths(
          layout: "l", [MeasuredLength(key: "a", length: length, crossLength: length)]),
        .preferSupplementary(
          layout: "l", kind: LayoutAttributes.SupplementaryKind(rawValue: "é"), section: "s",
          length: length),
        .resize(key: "a", size: Size(width: length ?? 0, height: 1), columnSpan: .min),
      ]
    }
    return operations + data.map { .data(key: "a", $0) }
  }

  private static func encode(_ operations: [BatchOperation]) -> [UInt8] {
    var writer = ByteWriter()
    writer.write(operations)
    return writer.bytes
  }

  /// - Returns: `nil` for a `ByteError`; any other error is thrown.
  private static func decode(_ bytes: [UInt8]) throws -> [BatchOperation]? {
    do {
      return try ByteReader.read(bytes) { reader in
        let operations = try reader.readOperations()
        try reader.expectEnd()
        return operations
      }
    } catch is ByteError {
      return nil
    }
  }

  @Test func operationsRoundTrip() throws {
    let operations = try Self.operations()
    let decoded = try #require(try Self.decode(Self.encode(operations)))
    for (decoded, operation) in zip(decoded, operations) {
      // `==` unites texts that differ in bytes.
      #expect(Array("\(decoded)".utf8) == Array("\(operation)".utf8))
      #expect(decoded == operation && Self.encode([decoded]) == Self.encode([operation]))
    }
    #expect(decoded.count == operations.count)
    // Each has a code: none is missing above.
    #expect(Set(operations.map { Self.encode([$0])[1] }) == Set(0...21))
    #expect(try Self.decode([1, 22]) == nil)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func damagedBytesAreRejectedOrRoundTrip(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    for operation in try Self.operations() {
      let original = Self.encode([operation])
      for count in original.indices {
        #expect(try Self.decode(Array(original.prefix(count))) == nil, "\(operation)")
      }
      for _ in 0..<20 {
        var bytes = original
        bytes[Int.random(in: 0..<bytes.count, using: &generator)] ^=
          1 << UInt8(generator.next() % 8)
        guard let found = try Self.decode(bytes) else { continue }
        accepted += 1
        let again = Self.encode(found)
        #expect(try Self.decode(again).map(Self.encode) == again, "seed \(seed): \(bytes)")
      }
    }
    #expect(accepted > 100, "seed \(seed)")
    // A number of keys beyond the bytes.
    #expect(try Self.decode([1, 1] + [UInt8](repeating: 0xFF, count: 8) + [0x7F]) == nil)
  }
}
