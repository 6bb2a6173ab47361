import SumTree
import Testing

@testable import LayoutStore

@Suite struct NodeDifferenceTests {
  private static let space = NodeSpace(rawValue: 3)
  private static let base = space.id(number: 7)

  private func difference(
    of new: [UInt8], from old: [UInt8], bytesMax: Int = 1000
  ) -> NodeDifference? {
    new.withUnsafeBytes { new in
      old.withUnsafeBytes { old in
        NodeDifference(of: new, from: old, Self.base, bytesMax: bytesMax)
      }
    }
  }

  /// The hunks after the base's id.
  private func hunks(of new: [UInt8], from old: [UInt8]) throws -> [UInt8] {
    var id = ByteWriter()
    id.writeVarint(Self.base.rawValue)
    let bytes = try #require(difference(of: new, from: old)).encoded
    #expect(bytes.starts(with: id.bytes))
    return Array(bytes.dropFirst(id.count))
  }

  private func payload(_ bytes: [UInt8], from old: [UInt8]) throws -> [UInt8] {
    try bytes.withUnsafeBytes { bytes in
      try old.withUnsafeBytes {
        try NodeDifference(from: bytes, in: Self.space).payload(from: $0)
      }
    }
  }

  @Test func hunksEncodeKeptDeletedAndInsertedBytes() throws {
    let old = (0..<100).map { UInt8($0) }
    #expect(try hunks(of: old, from: old) == [])
    var new = old
    new[40] = 200
    #expect(try hunks(of: new, from: old) == [40, 1, 1, 200])
    new.insert(contentsOf: [201, 202, 203], at: 60)
    #expect(try hunks(of: new, from: old) == [40, 1, 1, 200, 19, 0, 3, 201, 202, 203])
    new = old
    new.removeSubrange(10..<13)
    #expect(try hunks(of: new, from: old) == [10, 3, 0])
    #expect(try hunks(of: old + [5], from: old) == [100, 0, 1, 5])
  }

  @Test func aDifferenceAboveTheLimitIsNotUsed() {
    let old = [UInt8](repeating: 1, count: 1000)
    var new = old
    for index in stride(from: 0, to: 1000, by: 100) { new[index] = 2 }
    #expect(difference(of: new, from: old, bytesMax: 40) != nil)
    #expect(difference(of: new, from: old, bytesMax: 39) == nil)
    #expect(difference(of: [UInt8](repeating: 3, count: 64), from: []) != nil)
    #expect(difference(of: [UInt8](repeating: 3, count: 65), from: []) == nil)
  }

  @Test func aBaseIsAWholeNodeOfTheSameSpace() {
    let others = [
      Self.space.id(number: 7, isDifference: true), NodeSpace(rawValue: 4).id(number: 7),
      NodeSpace(rawValue: 2).id(number: 7),
    ]
    for other in others {
      var bytes = ByteWriter()
      bytes.writeVarint(other.rawValue)
      #expect(throws: ByteError.self) { try payload(bytes.bytes, from: []) }
    }
    #expect(throws: ByteError.self) { try payload([], from: []) }
  }
}
