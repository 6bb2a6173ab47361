package import LayoutCache
import SumTree

// The payloads of a shared log's entries; see docs/FORMAT.md, "Entries of the shared log".

/// An archive as an entry names it.
package struct NamedArchive: Hashable, Sendable {
  package var archive: SharedArchive
  /// Whether the dataset is created with the archive, at revision 1.
  package var beginsDataset: Bool

  package init(_ archive: SharedArchive, beginsDataset: Bool = false) {
    (self.archive, self.beginsDataset) = (archive, beginsDataset)
  }

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(archive.number))
    writer.writeUInt8((archive.isReplacement ? 1 : 0) | (beginsDataset ? 2 : 0))
    writer.writeBytes(archive.digest)
    return writer.bytes
  }

  /// - Throws: `ByteError`.
  package init(_ bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let number = try reader.readSharedID()
      let flags = try reader.readUInt8()
      guard flags <= 3 else { throw reader.malformed("an unknown kind of archive") }
      let archive = SharedArchive(
        number: number, isReplacement: flags & 1 != 0,
        digest: try reader.readBytes(count: reader.remaining))
      return NamedArchive(archive, beginsDataset: flags & 2 != 0)
    }
  }
}

extension SharedRequest {
  /// The archive that the request names; none if it cannot be read, which its decision reports.
  package var archive: NamedArchive? { kind == .archive ? try? NamedArchive(payload) : nil }
}

extension ChangeRequest {
  /// The request for a shared log; without its viewport, which only the requesting node needs.
  package var encoded: [UInt8] {
    var writer = ByteWriter()
    var flags: UInt8 = 0
    if expected != nil { flags |= 1 }
    if request != nil { flags |= 2 }
    if resolution != nil { flags |= 4 }
    if chosen != nil { flags |= 8 }
    if checked != nil { flags |= 16 }
    if mayPassInTransaction { flags |= 32 }
    writer.writeUInt8(flags)
    writer.write(text: who)
    if let expected { writer.writeCount(expected) }
    if let request {
      writer.write(text: request.owner)
      writer.write(text: request.key)
      writer.writeCounted(request.bodyHash)
    }
    writer.write(work, isResolved: resolution != nil)
    if let resolution {
      writer.writeCount(resolution.revision)
      writer.write(optionalBytes: resolution.batch?.encode())
    }
    if let chosen {
      writer.writeCount(chosen.layoutsMax)
      writer.writeVarint(UInt64(chosen.layout))
      writer.writeVarint(UInt64(chosen.incarnation))
    }
    if let checked { writer.writeCounted(checked) }
    return writer.bytes
  }

  /// - Throws: `ByteError`.
  package init(encoded bytes: [UInt8]) throws {
    self = try ByteReader.read(bytes) { reader in
      let flags = try reader.readUInt8()
      guard flags < 64 else { throw reader.malformed("unknown parts of a request") }
      let who = try reader.readText(limit: .max)
      let expected = flags & 1 != 0 ? try reader.readCount(limit: .max) : nil
      let request = flags & 2 != 0 ? try reader.readIdempotentRequest() : nil
      var change = ChangeRequest(try reader.readWork(), expected: expected, request: request)
      change.who = who
      change.mayPassInTransaction = flags & 32 != 0
      if flags & 4 != 0 {
        let revision = try reader.readCount(limit: .max)
        let batch = try reader.readOptionalBytes().map { try LoggedBatch($0) }
        change.resolution = BatchResolution(revision: revision, batch: batch)
      }
      if flags & 8 != 0 {
        let layoutsMax = try reader.readCount(limit: .max)
        let layout = try reader.readSharedID()
        change.chosen = ChosenValues(
          layoutsMax: layoutsMax, layout: layout, incarnation: try reader.readSharedID())
      }
      if flags & 16 != 0 { change.checked = try reader.readCounted(limit: .max) }
      try reader.expectEnd()
      return change
    }
  }
}

extension ByteWriter {
  fileprivate mutating func write(_ work: ChangeRequest.Work, isResolved: Bool) {
    switch work {
    case .batch(let operations):
      writeUInt8(0)
      write(operations.filter { if case .mark = $0 { true } else { !isResolved } })
    case .setLayout(let name, let configuration, _): write(1, texts: [name, configuration])
    case .addVariant(let name): write(2, texts: [name])
    case .followTemplate(let name, let definition, let number):
      write(3, texts: [name])
      writeCount(number.map { $0 + 1 } ?? 0)
      writeUInt8(definition == nil ? 0 : 1)
      guard let definition else { break }
      write(text: definition.configuration)
      writeCount(definition.number)
      write(text: definition.who)
    case .removeLayout(let name, _): write(4, texts: [name])
    case .renameLayout(let name, let other): write(5, texts: [name, other])
    case .setView(let name, let definition):
      write(6, texts: [name])
      write(optionalBytes: definition)
    case .pin(let name, let replaced):
      write(7, texts: [name])
      writeVarint(replaced.map { UInt64($0) + 1 } ?? 0)
    // Resolved, it is a batch.
    case .append, .undo, .continueRebalance:
      precondition(isResolved, "a request that depends on its node is not logged")
      writeUInt8(0)
      write([BatchOperation]())
    case .archive: preconditionFailure("an archive has an entry of another kind")
    }
  }

  private mutating func write(_ kind: UInt8, texts: [String]) {
    writeUInt8(kind)
    for text in texts { write(text: text) }
  }

  fileprivate mutating func write(optionalBytes bytes: [UInt8]?) {
    writeCount(bytes.map { $0.count + 1 } ?? 0)
    writeBytes(bytes ?? [])
  }
}

extension ByteReader {
  fileprivate mutating func readWork() throws -> ChangeRequest.Work {
    switch try readUInt8() {
    case 0: return .batch(try readOperations())
    case 1:
      let name = try readText(limit: .max)
      return .setLayout(name, configuration: try readText(limit: .max))
    case 2: return .addVariant(try readText(limit: .max))
    case 3:
      let name = try readText(limit: .max)
      let number = try readCount(limit: .max)
      let replaced = number == 0 ? nil : number - 1
      guard try readUInt8() == 1 else { return .followTemplate(name, to: nil, replacing: replaced) }
      let configuration = try readText(limit: .max)
      let own = try readCount(limit: .max)
      let definition = (configuration, own, try readText(limit: .max))
      return .followTemplate(name, to: definition, replacing: replaced)
    case 4: return .removeLayout(try readText(limit: .max))
    case 5:
      let name = try readText(limit: .max)
      return .renameLayout(name, to: try readText(limit: .max))
    case 6:
      let name = try readText(limit: .max)
      return .setView(name, try readOptionalBytes())
    case 7:
      let name = try readText(limit: .max)
      let replaced = try readSharedID()
      return .pin(name, replacing: replaced == 0 ? nil : replaced - 1)
    default: throw malformed("an unknown change")
    }
  }

  fileprivate mutating func readOptionalBytes() throws -> [UInt8]? {
    let count = try readCount(limit: .max)
    return count == 0 ? nil : try readBytes(count: count - 1)
  }

  fileprivate mutating func readSharedID() throws -> Int64 {
    guard let id = Int64(exactly: try readVarint()) else { throw malformed("an id out of range") }
    return id
  }

  fileprivate mutating func readIdempotentRequest() throws -> IdempotentRequest {
    let (owner, key) = (try readText(limit: .max), try readText(limit: .max))
    let hash = try readCounted(limit: 64)
    return try checked { try IdempotentRequest(key: key, owner: owner, bodyHash: hash) }
  }
}
