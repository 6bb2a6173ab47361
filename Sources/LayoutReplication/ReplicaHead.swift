import LayoutCache
import LayoutStore
import SumTree

/// The head of a replica's export, with the data that an archive lacks: the dataset's position in
/// its shared log, and the pins of its layouts.
struct ReplicaHead: Hashable {
  var position: SharedPosition
  var pins: [PinRow]

  // sequence     varint
  // chain        length as varint, bytes
  // pins         number as varint; of each
  //   layout         varint
  //   revision       varint
  //   configuration  length as varint, UTF-8
  //   incarnation    varint
  //   earlier        0, or incarnation + 1, as varint

  func encode() -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(position.sequence)
    writer.writeCounted(position.chain)
    writer.writeCount(pins.count)
    for pin in pins {
      writer.writeVarint(UInt64(pin.layout))
      writer.writeCount(pin.revision)
      writer.writeCounted(pin.configuration.utf8)
      writer.writeVarint(UInt64(pin.incarnation.rawValue))
      writer.writeVarint(pin.earlier.map { UInt64($0.rawValue) + 1 } ?? 0)
    }
    return writer.bytes
  }

  /// - Parameter dataset: The dataset's number in the shared log.
  /// - Throws: `ByteError`.
  init(_ bytes: [UInt8], dataset: Int64) throws {
    self = try ByteReader.read(bytes) { reader in
      let sequence = try reader.readCount(limit: .max)
      let chain = try reader.readCounted(limit: 64)
      var pins: [PinRow] = []
      for _ in 0..<(try reader.readCount(limit: .max, sizeMin: 5)) {
        let layout = try reader.readNumber()
        let revision = try reader.readCount(limit: .max)
        let configuration = try reader.readText(limit: .max)
        let incarnation = HistoryNumber(rawValue: try reader.readNumber())
        let earlier = try reader.readVarint()
        pins.append(
          PinRow(
            layout: layout, dataset: 0, revision: revision, configuration: configuration,
            incarnation: incarnation,
            earlier: earlier == 0
              ? nil : HistoryNumber(rawValue: Int64(truncatingIfNeeded: earlier - 1))))
      }
      try reader.expectEnd()
      return ReplicaHead(
        position: SharedPosition(dataset: dataset, sequence: sequence, chain: chain), pins: pins)
    }
  }

  init(position: SharedPosition, pins: [PinRow]) {
    (self.position, self.pins) = (position, pins)
  }
}

extension ReplicaHead {
  /// Creates the head for a dataset in a file.
  ///
  /// - Throws: ``ReplicationError`` with `diverged` if the dataset does not follow the log.
  init(of row: DatasetRow, in log: [UInt8], _ reader: StoreReader) throws {
    self.init(
      position: SharedPosition(try reader.replica(of: row.id, following: log)),
      pins: try reader.layouts(of: row.id).sorted { $0.id < $1.id }
        .compactMap { try reader.pin(of: $0.id) })
  }

  /// Stores the position and pins for the dataset loaded from the archive.
  func put(of row: DatasetRow, in log: [UInt8], _ writer: StoreWriter) throws {
    for var pin in pins {
      pin.dataset = row.id
      try writer.put(pin)
    }
    try writer.beginLoading(ReplicaRow(of: row, at: position, in: log))
  }
}

extension ByteReader {
  fileprivate mutating func readNumber() throws -> Int64 {
    guard let number = Int64(exactly: try readVarint()) else {
      throw malformed("a number out of range")
    }
    return number
  }
}

extension ReplicaRow {
  /// Creates the row of a dataset in a file that is at a position of a shared log.
  init(of row: DatasetRow, at position: SharedPosition, in log: [UInt8]) {
    self.init(
      dataset: row.id, log: log, number: position.dataset, sequence: position.sequence,
      chain: position.chain)
  }
}
