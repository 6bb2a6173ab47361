import SumTree
import Testing

@Suite struct BytesTests {
  static let edges: [UInt64] =
    (0..<64).flatMap { shift -> [UInt64] in
      let power: UInt64 = 1 << UInt64(shift)
      return [power - 1, power, power + 1]
    } + [.max]

  @Test func numbersOfEveryKindRoundTripAndConsumeTheirBytes() throws {
    for value in Self.edges {
      var writer = ByteWriter()
      writer.writeVarint(value)
      writer.writeSignedVarint(Int64(bitPattern: value))
      writer.writeUInt8(UInt8(truncatingIfNeeded: value))
      writer.writeBytes([1, 2, 3])
      try ByteReader.read(writer.bytes) { reader in
        #expect(try reader.readVarint() == value)
        #expect(try reader.readSignedVarint() == Int64(bitPattern: value))
        #expect(try reader.readUInt8() == UInt8(truncatingIfNeeded: value))
        #expect(try reader.readBytes(count: 3) == [1, 2, 3])
        #expect(reader.isAtEnd && reader.offset == writer.count)
        try reader.expectEnd()
      }
    }
  }

  @Test func numbersAreEncodedAsTheFormatSpecifies() {
    var writer = ByteWriter()
    writer.writeVarint(300)
    writer.writeSignedVarint(-1)
    writer.writeSignedVarint(1)
    writer.writeUInt8(0x34)
    #expect(writer.bytes == [0xAC, 0x02, 0x01, 0x02, 0x34])
    writer.removeAll()
    #expect(writer.bytes.isEmpty)
  }

  @Test func numbersThatEndEarlyAreTruncated() {
    for value in Self.edges {
      var writer = ByteWriter()
      writer.writeVarint(value)
      for length in 0..<writer.count {
        #expect(throws: ByteError(code: .truncated, offset: 0)) {
          try ByteReader.read(Array(writer.bytes[..<length])) { _ = try $0.readVarint() }
        }
      }
    }
    #expect(throws: ByteError(code: .truncated, offset: 0)) {
      try ByteReader.read([]) { _ = try $0.readUInt8() }
    }
    #expect(throws: ByteError(code: .truncated, offset: 1)) {
      try ByteReader.read([7]) { reader in
        _ = try reader.readUInt8()
        _ = try reader.readUInt8()
      }
    }
  }

  @Test func varintsBeyondSixtyFourBitsOverflow() {
    let high = [UInt8](repeating: 0xFF, count: 9)
    #expect(throws: Never.self) { try ByteReader.read(high + [1]) { _ = try $0.readVarint() } }
    for last: UInt8 in [2, 0x7F, 0x80, 0xFF] {
      #expect(throws: ByteError(code: .overflow, offset: 0)) {
        try ByteReader.read(high + [last, 0]) { _ = try $0.readVarint() }
      }
    }
  }

  @Test func absurdCountsAreRejectedBeforeAnythingIsAllocated() throws {
    var writer = ByteWriter()
    writer.writeVarint(.max)
    #expect(throws: ByteError.self) {
      try ByteReader.read(writer.bytes) { _ = try $0.readCount(limit: .max) }
    }
    writer.removeAll()
    writer.writeCount(1_000)
    writer.writeBytes([UInt8](repeating: 0, count: 999))
    let bytes = writer.bytes
    #expect(throws: ByteError(code: .malformed("count 1000 exceeds 999"), offset: 0)) {
      try ByteReader.read(bytes) { _ = try $0.readCount(limit: 999) }
    }
    #expect(throws: ByteError(code: .truncated, offset: 0)) {
      try ByteReader.read(bytes) { _ = try $0.readCount(limit: 1_000, sizeMin: 1) }
    }
    #expect(try ByteReader.read(bytes) { try $0.readCount(limit: 1_000) } == 1_000)
    #expect(throws: ByteError(code: .truncated, offset: 0)) {
      try ByteReader.read(bytes) { _ = try $0.readBytes(count: .max) }
    }
    #expect(throws: ByteError(code: .truncated, offset: 0)) {
      try ByteReader.read(bytes) { _ = try $0.readBytes(count: -1) }
    }
  }
}
