package import CollectionLayout
import SumTree

/// What somebody wants of a dataset whose log is shared: to be decided there.
package struct SharedChange: Sendable {
  package enum Work: Sendable {
    case batch([BatchOperation])
    /// What takes the newest commit back.
    case undo
    /// A large instalment of the rebalances of some layouts, or of all.
    case carryOn(layouts: [String]?)
    /// A layout is attached or changed; a new one gets the id, which no layout of the log has.
    case setLayout(String, LayoutConfiguration, freshID: Int64)
    case removeLayout(String)
    case renameLayout(String, to: String)
    /// A layout is laid out by its present configuration, from here on and for all.
    case pin(String)
    /// The dataset's items become those of an image.
    case image(Int64)
  }

  package var work: Work
  /// The revision that it is made for; `nil` for any.
  package var expected: Int?
  /// What tells that it has been sent before.
  package var request: IdempotentRequest?
  /// 16 bytes that name it: it gets into the log once.
  package var proposal: [UInt8]

  package init(
    _ work: Work, expected: Int? = nil, request: IdempotentRequest? = nil,
    proposal: [UInt8] = .risingName()
  ) {
    self.work = work
    self.expected = expected
    self.request = request
    self.proposal = proposal
  }

  /// Whether what it comes to follows from the dataset's items and sections, and the rows of
  /// layouts that it names.
  var isBatch: Bool { if case .batch = work { true } else { false } }
}

extension [UInt8] {
  /// 16 random bytes.
  package static func randomName() -> [UInt8] {
    // Each number is a call of the system's.
    Swift.withUnsafeBytes(of: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))) {
      [UInt8]($0)
    }
  }

  /// 16 bytes: 6 of the time in milliseconds since 1970, so that names that are made one after
  /// the other stand together in an index, and 10 random ones.
  static func risingName() -> [UInt8] {
    let time = UInt64(clamping: WallClock.system.now())
    var name = Swift.withUnsafeBytes(of: (time << 16).bigEndian) { [UInt8]($0.prefix(6)) }
    name += randomName().prefix(10)
    return name
  }
}

/// What a change comes to on a dataset as a node has it.
package enum SharedResolution: Sendable {
  /// It is to be appended to the log.
  case isProposed(SharedEntry)
  /// It makes no entry, and this is what it comes to.
  case isSettled(SharedOutcome)
  case isRefused(any Error)
  /// It must wait until those before it are decided on.
  case mustWait
}

/// What became of a change.
package enum SharedOutcome: Sendable {
  /// It has been carried out, or comes to nothing.
  case isCommitted(Commit)
  /// Its request had been carried out before.
  case isReplayed(revision: Int, answer: [UInt8]?)

  /// The dataset's revision behind it.
  package var revision: Int {
    switch self {
    case .isCommitted(let commit): commit.revision
    case .isReplayed(let revision, _): revision
    }
  }
}

/// Why a node can't carry an entry out. It throws what it has of the dataset away.
package enum SharedMisfit: Error, Hashable, Sendable {
  /// The node's dataset does not stand where the entry goes on.
  case isElsewhere
  /// The entry does not fit the dataset.
  case doesNotApply(String)
  /// A layout's result begins at a place that the node has passed without laying it out.
  case historyIsElsewhere(LayoutID)
}

// MARK: - Payloads

/// What an entry says of a layout.
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

/// What an entry says of a layout's result.
struct SharedPin: Hashable {
  var layout: Int64
  /// What the result is called.
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

/// What an entry says of an image.
package struct SharedImage: Hashable {
  package var number: Int64

  // number  varint

  package func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeVarint(UInt64(number))
    return writer.bytes
  }

  package init(number: Int64) { self.number = number }

  package init(_ bytes: [UInt8]) throws {
    number = try ByteReader.read(bytes) { reader in
      let number = try reader.readSharedID()
      try reader.expectEnd()
      return number
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
