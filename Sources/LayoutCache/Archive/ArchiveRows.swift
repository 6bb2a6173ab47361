import LayoutGeometry
import LayoutStore
import SumTree

/// The first record of an archive.
struct ArchiveHead: Hashable, Sendable {
  /// The dataset's incarnation.
  var incarnation: HistoryNumber
  var revision: Int
  /// The time of the last entry of the log, in milliseconds since 1970.
  var time: Int64
  var sectionCount: Int
  var itemCount: Int
  /// The order of the items; `nil` if operations state their places.
  var order: DatasetOrder?

  // rules        varint
  // incarnation  varint
  // revision     varint
  // time         signed varint
  // sections     varint
  // items        varint
  // order        u8: 1 if it follows

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(LayoutRules.version)
    writer.writeVarint(UInt64(incarnation.rawValue))
    writer.writeCount(revision)
    writer.writeSignedVarint(time)
    writer.writeCount(sectionCount)
    writer.writeCount(itemCount)
    writer.writeUInt8(order == nil ? 0 : 1)
    order?.encode(into: &writer)
  }

  /// - Parameter hasHistories: Whether layouts may follow, which were laid out by the head's rules.
  /// - Throws: ``ReplicationError`` with `unreadableArchive`.
  init(from reader: inout ByteReader, hasHistories: Bool = true) throws {
    let rules = try reader.readCount(limit: .max)
    guard rules == LayoutRules.version || !hasHistories else {
      throw ReplicationError.unreadableArchive(
        """
        the archive uses version \(rules) of the layout rules; this program uses version \
        \(LayoutRules.version)
        """)
    }
    incarnation = try reader.readIncarnation()
    revision = try reader.readRevision()
    time = try reader.readSignedVarint()
    sectionCount = try reader.readCount(limit: Limits.sectionsMax)
    itemCount = try reader.readCount(limit: Limits.itemsMax)
    if try reader.readUInt8() == 1 { order = try DatasetOrder(from: &reader) }
  }

  init(_ state: DatasetState) {
    incarnation = state.row.incarnation
    revision = state.revision
    time = state.head.time
    sectionCount = state.trees.sections.count
    itemCount = state.trees.items.count
    order = state.trees.order
  }

  /// Creates the head of an archive of only sections and items, which do not belong to a
  /// dataset yet.
  init(ofItems trees: DatasetTrees) {
    (incarnation, revision, time) = (HistoryNumber(rawValue: 0), 0, 0)
    sectionCount = trees.sections.count
    itemCount = trees.items.count
    order = trees.order
  }
}

struct ArchiveLayout: Hashable, Sendable {
  /// The part of a layout's result that does not follow from its dataset.
  struct History: Hashable, Sendable {
    /// The configuration with which the result was laid out.
    var configuration: String
    var incarnation: HistoryNumber
  }

  var id: Int64
  var name: String
  var configuration: String
  /// The number of its template's definition; 0 for a layout of the dataset itself.
  var template = 0
  /// `nil` if the layout has no result, or one that follows from the items.
  var history: History?
  /// The definitions, the present one first.
  var definitions: [DefinitionRow] = []
  /// The measured lengths of its header and footer.
  var measured = SupplementaryLengths.none

  // id             varint
  // name           text: its length varint, its bytes
  // configuration  text
  // template       varint
  // history        u8: 0 for none, 1 and
  //   incarnation    varint
  //   configuration  text
  // definitions    their number, varint; of each, the present one first:
  //   time           signed varint
  //   who            text
  //   configuration  text
  // measured       if any: as SupplementaryLengths

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(id))
    writer.write(text: name)
    writer.write(text: configuration)
    writer.writeCount(template)
    writer.writeUInt8(history == nil ? 0 : 1)
    if let history {
      writer.writeVarint(UInt64(history.incarnation.rawValue))
      writer.write(text: history.configuration)
    }
    writer.writeCount(definitions.count)
    for definition in definitions {
      writer.writeSignedVarint(definition.time)
      writer.write(text: definition.who)
      writer.write(text: definition.configuration)
    }
    if measured != .none { measured.encode(into: &writer) }
  }

  init(from reader: inout ByteReader) throws {
    id = try reader.readLayoutID()
    name = try reader.readText(limit: Limits.nameBytesMax)
    try Limits.check(name: name, as: "layout name")
    configuration = try reader.readText(limit: Limits.configurationBytesMax)
    template = try reader.readRevision()
    switch try reader.readUInt8() {
    case 0: break
    case 1:
      let incarnation = try reader.readIncarnation()
      history = History(
        configuration: try reader.readText(limit: Limits.configurationBytesMax),
        incarnation: incarnation)
    default: throw reader.malformed("layout")
    }
    for _ in 0..<(try reader.readCount(limit: Budgets.definitions)) {
      let time = try reader.readSignedVarint()
      let who = try reader.readText(limit: Limits.nameBytesMax)
      definitions.append(
        DefinitionRow(
          layout: id, configuration: try reader.readText(limit: Limits.configurationBytesMax),
          time: time, who: who))
    }
    if !reader.isAtEnd { measured = try SupplementaryLengths(from: &reader) }
  }

  init(_ row: LayoutRow, history: History?) {
    (id, name, configuration) = (row.id, row.name, row.configuration)
    template = row.template ?? 0
    self.history = history
  }
}

extension ViewRow {
  // name        text
  // definition  bytes

  func encode(into writer: inout ByteWriter) {
    writer.write(text: name)
    writer.writeBytes(definition)
  }

  init(from reader: inout ByteReader, dataset: Int64) throws {
    let name = try reader.readText(limit: Limits.nameBytesMax)
    try Limits.check(name: name, as: "view name")
    let definition = try reader.readBytes(count: reader.remaining)
    self.init(name, of: dataset, try DatasetView(encoded: definition))
  }
}

extension MarkRow {
  // source    text
  // position  text
  // revision  varint

  func encode(into writer: inout ByteWriter) {
    writer.write(text: source)
    writer.write(text: position)
    writer.writeCount(revision)
  }

  init(from reader: inout ByteReader, dataset: Int64) throws {
    let source = try reader.readText(limit: Limits.nameBytesMax)
    try Limits.check(name: source, as: "source")
    let position = try reader.readText(limit: Limits.nameBytesMax)
    try Limits.check(name: position, as: "position")
    self.init(
      dataset: dataset, source: source, position: position, revision: try reader.readRevision())
  }
}

extension RequestRow {
  // owner     text
  // key       text
  // hash      length varint, at most 64; bytes
  // revision  varint
  // time      signed varint

  func encode(into writer: inout ByteWriter) {
    writer.write(text: owner)
    writer.write(text: key)
    writer.writeCounted(bodyHash)
    writer.writeCount(revision)
    writer.writeSignedVarint(time)
  }

  init(from reader: inout ByteReader, dataset: Int64) throws {
    let owner = try reader.readText(limit: Limits.nameBytesMax)
    let key = try reader.readText(limit: Limits.nameBytesMax)
    let hash = try reader.readCounted(limit: 64)
    let request = try IdempotentRequest(key: key, owner: owner, bodyHash: hash)
    self.init(
      dataset: dataset, owner: request.owner, key: request.key, bodyHash: request.bodyHash,
      revision: try reader.readRevision(), answer: nil, time: try reader.readSignedVarint())
  }
}

extension ByteReader {
  /// The range of IDs and revisions in a file.
  private static var numberMax: Int { 1 << 53 }

  fileprivate mutating func readIncarnation() throws(ByteError) -> HistoryNumber {
    HistoryNumber(rawValue: Int64(try readCount(limit: .max)))
  }

  fileprivate mutating func readRevision() throws(ByteError) -> Int {
    try readCount(limit: Self.numberMax)
  }

  mutating func readLayoutID() throws(ByteError) -> Int64 {
    let id = try readCount(limit: Self.numberMax)
    guard id > 0 else { throw malformed("layout id") }
    return Int64(id)
  }
}

/// An archive of only sections and items, produced by an import and built in an unpublished space.
struct ImportedArchive {
  let trees: DatasetTrees
  /// The space of the trees.
  let filler: SpaceFiller

  /// - Parameters:
  ///   - spaces: The spaces to fill; the caller reclaims them if anything throws.
  ///   - digest: The required digest of the archive.
  ///   - next: Returns the archive's next chunk; `nil` after the last.
  /// - Throws: ``ReplicationError``; the errors of writing and of `next`.
  init(
    into spaces: ArchiveSpaces, of store: Store, _ shapes: TreeShapes, sortBytesMax: Int,
    digest: [UInt8], next: @escaping () throws -> [UInt8]?
  ) throws {
    let reader = try ArchiveReader {
      try spaces.touchIfDue()
      return try next()
    }
    let head = try reader.read(.head) { try ArchiveHead(from: &$0, hasHistories: false) }
    filler = try spaces.makeFiller()
    trees = try reader.readTrees(head, into: filler, of: store, shapes, sortBytesMax: sortBytesMax)
    guard try reader.finish() == digest else {
      throw ReplicationError.malformed("its digest differs from the log entry's")
    }
  }
}
