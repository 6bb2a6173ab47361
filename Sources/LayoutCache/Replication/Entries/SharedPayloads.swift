import SumTree

// The payloads of a shared log's entries, except batches.

/// The payload of a layout's entry.
enum SharedLayoutChange: Hashable {
  case isSet(id: Int64, name: String, configuration: String)
  case isRemoved(id: Int64)

  // id             varint
  // kind           1: set, 2: removed
  // name           length as varint, UTF-8        of one that is set
  // configuration  likewise

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .isSet(let id, let name, let configuration):
      writer.writeVarint(UInt64(id))
      writer.writeUInt8(1)
      writer.writeText(name)
      writer.writeText(configuration)
    case .isRemoved(let id):
      writer.writeVarint(UInt64(id))
      writer.writeUInt8(2)
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let id = try reader.readSharedID()
      let change: SharedLayoutChange
      switch try reader.readUInt8() {
      case 1:
        change = .isSet(
          id: id, name: try reader.readText(), configuration: try reader.readText())
      case 2: change = .isRemoved(id: id)
      default: throw reader.malformed("an unknown change of a layout")
      }
      try reader.expectEnd()
      return change
    }
  }
}

/// The payload of an entry of a layout's result.
struct SharedPin: Hashable {
  var layout: Int64
  /// The incarnation of the result.
  var incarnation: Int64

  // layout       varint
  // incarnation  varint

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(layout))
    writer.writeVarint(UInt64(incarnation))
    return writer.bytes
  }

  init(layout: Int64, incarnation: Int64) {
    self.layout = layout
    self.incarnation = incarnation
  }

  init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let pin = SharedPin(
        layout: try reader.readSharedID(), incarnation: try reader.readSharedID())
      try reader.expectEnd()
      return pin
    }
  }
}

/// The payload of an archive's entry.
package struct SharedArchive: Hashable, Sendable {
  package var number: Int64
  /// Whether nothing is kept of what there was: then what sources have marked goes too.
  package var isReplacement: Bool
  /// A hash of what the archive holds.
  package var digest: [UInt8]

  // number       varint
  // replacement  u8: 0 or 1
  // digest       the rest

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(number))
    writer.writeUInt8(isReplacement ? 1 : 0)
    writer.writeBytes(digest)
    return writer.bytes
  }

  package init(number: Int64, isReplacement: Bool, digest: [UInt8]) {
    self.number = number
    self.isReplacement = isReplacement
    self.digest = digest
  }

  package init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let number = try reader.readSharedID()
      let flag = try reader.readUInt8()
      guard flag <= 1 else { throw reader.malformed("an unknown kind of archive") }
      return SharedArchive(
        number: number, isReplacement: flag == 1,
        digest: try reader.readBytes(count: reader.remaining))
    }
  }
}

extension IdempotentRequest {
  // owner      length as varint, UTF-8
  // key        likewise
  // body hash  the rest

  /// The request as an entry carries it.
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeText(owner)
    writer.writeText(key)
    writer.writeCount(bodyHash.count)
    writer.writeBytes(bodyHash)
    return writer.bytes
  }

  /// - Throws: `ByteError`, `LimitError`.
  package init(_ bytes: [UInt8]) throws {
    let (owner, key, hash) = try ByteReader.read(bytes) { reader in
      let parts = (
        try reader.readText(), try reader.readText(),
        try reader.readBytes(count: try reader.readCount(limit: 64))
      )
      try reader.expectEnd()
      return parts
    }
    try self.init(key: key, owner: owner, bodyHash: hash)
  }
}

extension ByteWriter {
  fileprivate mutating func writeText(_ text: String) {
    writeCount(text.utf8.count)
    writeBytes(text.utf8)
  }
}

extension ByteReader {
  fileprivate mutating func readText() throws -> String {
    let bytes = try readBytes(count: try readCount(limit: .max, sizeMin: 1))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw malformed("a text that is no UTF-8")
    }
    return text
  }

  fileprivate mutating func readSharedID() throws -> Int64 {
    guard let id = Int64(exactly: try readVarint()) else { throw malformed("an id out of range") }
    return id
  }
}
