import SumTree

// The entries of one append, as the log stores them: in one value.

extension [SharedEntry] {
  // chain before  length as varint, bytes
  // revision      of the first entry, varint
  // time          of the first entry, signed varint
  // of each entry, to the end:
  //   kind          u8
  //   revision      signed varint: the difference from the previous entry; absent for the first
  //   time          signed varint: the difference from the previous entry; absent for the first
  //   proposal      16 bytes
  //   request       0, or length + 1 as varint, bytes
  //   payload       length as varint, bytes
  //
  // The chains follow from the chain before and the contents.

  /// Returns the encoding of entries that were appended together.
  ///
  /// - Parameter chain: The chain before the first.
  package func encoded(after chain: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.writeCount(chain.count)
    writer.writeBytes(chain)
    var last: SharedEntry?
    for entry in self {
      if let last {
        writer.writeUInt8(UInt8(entry.kind.rawValue))
        writer.writeSignedVarint(Int64(entry.revision - last.revision))
        writer.writeSignedVarint(entry.time &- last.time)
      } else {
        writer.writeCount(entry.revision)
        writer.writeSignedVarint(entry.time)
        writer.writeUInt8(UInt8(entry.kind.rawValue))
      }
      precondition(entry.proposal.count == 16, "a proposal has 16 bytes")
      writer.writeBytes(entry.proposal)
      writer.writeCount(entry.request.map { $0.count + 1 } ?? 0)
      writer.writeBytes(entry.request ?? [])
      writer.writeCount(entry.payload.count)
      writer.writeBytes(entry.payload)
      last = entry
    }
    return writer.bytes
  }

  /// Decodes entries that were appended together.
  ///
  /// - Parameters:
  ///   - first: The sequence of the first.
  ///   - chain: The chain of the last.
  /// - Returns: The entries before the first of a kind that only newer versions know, and whether
  ///   these are all.
  /// - Throws: `ByteError` if the bytes are malformed, or do not lead to the chain.
  package static func decode(
    _ bytes: [UInt8], first: Int, chain: [UInt8]
  ) throws -> (entries: [SharedEntry], isWhole: Bool) {
    try ByteReader.read(bytes) { reader in
      var last = try reader.readBytes(count: try reader.readCount(limit: 64))
      var revision = try reader.readCount(limit: .max)
      var time = try reader.readSignedVarint()
      var entries: [SharedEntry] = []
      while entries.isEmpty || reader.remaining > 0 {
        // The size of an entry of a newer kind is unknown, so none after it can be read.
        guard let kind = SharedEntry.Kind(rawValue: Int16(try reader.readUInt8())) else {
          return (entries, false)
        }
        if !entries.isEmpty {
          revision &+= Int(try reader.readSignedVarint())
          time &+= try reader.readSignedVarint()
        }
        let proposal = try reader.readBytes(count: 16)
        let requestCount = try reader.readCount(limit: .max)
        let request =
          requestCount == 0 ? nil : try reader.readBytes(count: requestCount - 1)
        let entry = SharedEntry(
          sequence: first + entries.count, revision: revision, kind: kind, proposal: proposal,
          request: request, payload: try reader.readBytes(count: try reader.readCount(limit: .max)),
          time: time, chain: []
        ).sealed(after: last)
        last = entry.chain
        entries.append(entry)
      }
      guard last == chain else {
        throw reader.malformed("entries from \(first) on that do not lead to their chain")
      }
      return (entries, true)
    }
  }
}
