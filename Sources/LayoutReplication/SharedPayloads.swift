package import LayoutCache
import SumTree

// The payloads of a shared log's entries, except batches.

extension DefinitionChange {
  // id             varint; 0 of a view
  // kind           1: a layout is set, 2: removed; 3: a view is set, 4: removed
  // name           length as varint, UTF-8; not of a removed layout
  // view           the rest; only of a view that is set
  // configuration  length as varint, UTF-8; only of a layout that is set
  // who            likewise
  // template       varint, 0 for none; likewise

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    switch self {
    case .set(let id, let name, let configuration, let who, let template):
      writer.writeVarint(UInt64(id))
      writer.writeUInt8(1)
      writer.write(text: name)
      writer.write(text: configuration)
      writer.write(text: who)
      writer.writeCount(template ?? 0)
    case .removed(let id):
      writer.writeVarint(UInt64(id))
      writer.writeUInt8(2)
    case .view(let name, let definition):
      writer.writeVarint(0)
      writer.writeUInt8(definition == nil ? 4 : 3)
      writer.write(text: name)
      writer.writeBytes(definition ?? [])
    }
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let id = try reader.readSharedID()
      let change: DefinitionChange
      switch try reader.readUInt8() {
      case 1:
        change = .set(
          id: id, name: try reader.readText(limit: .max),
          configuration: try reader.readText(limit: .max), who: try reader.readText(limit: .max),
          template: try reader.readTemplate())
      case 2: change = .removed(id: id)
      case 3:
        change = .view(
          name: try reader.readText(limit: .max),
          definition: try reader.readBytes(count: reader.remaining))
      case 4: change = .view(name: try reader.readText(limit: .max), definition: nil)
      default: throw reader.malformed("an unknown change of a definition")
      }
      try reader.expectEnd()
      return change
    }
  }
}

extension SharedPin {
  // layout       varint
  // incarnation  varint

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(layout))
    writer.writeVarint(UInt64(incarnation))
    return writer.bytes
  }

  init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let pin = SharedPin(layout: try reader.readSharedID(), incarnation: try reader.readSharedID())
      try reader.expectEnd()
      return pin
    }
  }
}

extension SharedArchive {
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

  /// Returns the encoding of the request in an entry.
  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.write(text: owner)
    writer.write(text: key)
    writer.writeCounted(bodyHash)
    return writer.bytes
  }

  /// - Throws: `ByteError`, `LimitError`.
  package init(_ bytes: [UInt8]) throws {
    let (owner, key, hash) = try ByteReader.read(bytes) { reader in
      let parts = (
        try reader.readText(limit: .max), try reader.readText(limit: .max),
        try reader.readCounted(limit: 64)
      )
      try reader.expectEnd()
      return parts
    }
    try self.init(key: key, owner: owner, bodyHash: hash)
  }
}

extension ByteReader {
  fileprivate mutating func readSharedID() throws -> Int64 {
    guard let id = Int64(exactly: try readVarint()) else { throw malformed("an id out of range") }
    return id
  }

  fileprivate mutating func readTemplate() throws -> Int? {
    let number = try readSharedID()
    return number == 0 ? nil : Int(number)
  }
}
