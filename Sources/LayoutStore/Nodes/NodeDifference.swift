import SumTree

/// A node's payload as a difference from the payload of another node, its *base*, which is stored
/// whole.
///
/// An edit changes some bytes of a leaf, and one child in each of its ancestors. The differences
/// are some dozens of bytes, while the nodes are one or two kilobytes.
///
///     base     varint   the base's id
///     hunk × n, to the end:
///       kept     varint   the number of bytes of the base to retain
///       dropped  varint   the number of following bytes of the base to skip
///       added    varint   the number of bytes inserted instead
///       bytes    added    those bytes
///
/// The rest of the base follows the last hunk. The parts of a base are used in order and at most
/// once each, so whatever the bytes are, the result is no larger than base and difference together.
struct NodeDifference {
  let base: NodeID
  private let hunks: [UInt8]

  /// Compares two payloads.
  ///
  /// - Returns: `nil` if the difference would take more than `bytesMax` bytes, or a single hunk
  ///   drops or adds more than ``hunkBytesMax``.
  /// - Complexity: O(bytes), and O(`hunkBytesMax`²) for each hunk.
  init?(
    of payload: UnsafeRawBufferPointer, from basePayload: UnsafeRawBufferPointer,
    _ base: NodeID, bytesMax: Int
  ) {
    var writer = ByteWriter(capacity: bytesMax)
    var comparison = Comparison(old: basePayload, new: payload)
    while let hunk = comparison.next() {
      guard hunk.added <= Self.hunkBytesMax, hunk.dropped <= Self.hunkBytesMax else { return nil }
      writer.writeCount(hunk.kept)
      writer.writeCount(hunk.dropped)
      writer.writeCount(hunk.added)
      writer.writeBytes(payload[(comparison.newPlace - hunk.added)..<comparison.newPlace])
      guard writer.count <= bytesMax else { return nil }
    }
    self.base = base
    hunks = writer.bytes
  }

  /// Reads a difference.
  ///
  /// - Parameter space: The space of the node and its base.
  init(from bytes: UnsafeRawBufferPointer, in space: NodeSpace) throws(ByteError) {
    var reader = ByteReader(bytes, nodeIDs: space.wholeNodeIDs)
    base = try reader.readNodeID()
    hunks = try reader.readBytes(count: reader.remaining)
  }

  /// The bytes of the difference.
  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: hunks.count + 10)
    writer.writeVarint(base.rawValue)
    writer.writeBytes(hunks)
    return writer.bytes
  }

  /// Returns the payload of the node.
  ///
  /// - Throws: `ByteError` for hunks that do not fit the base.
  func payload(from basePayload: UnsafeRawBufferPointer) throws -> [UInt8] {
    try ByteReader.read(hunks) { reader in
      var payload: [UInt8] = []
      payload.reserveCapacity(basePayload.count + hunks.count)
      var place = 0
      while !reader.isAtEnd {
        let kept = try reader.readCount(limit: basePayload.count - place)
        payload.append(contentsOf: basePayload[place..<place + kept])
        place += kept
        place += try reader.readCount(limit: basePayload.count - place)
        let added = try reader.readCount(limit: hunks.count, sizeMin: 1)
        try reader.readBytes(count: added) { payload.append(contentsOf: $0) }
      }
      payload.append(contentsOf: basePayload[place...])
      return payload
    }
  }

  /// The maximum number of bytes that a hunk may drop or add. An inserted item is some dozens of
  /// bytes; a node with larger changes is better stored whole.
  static let hunkBytesMax = 64
}

/// An iterator over the differences between two payloads.
private struct Comparison {
  let old: UnsafeRawBufferPointer
  let new: UnsafeRawBufferPointer
  /// The start of the equal suffix.
  private let oldEnd: Int
  private let newEnd: Int
  private var oldPlace = 0
  private(set) var newPlace = 0

  struct Hunk {
    var kept: Int
    var dropped: Int
    var added: Int
  }

  init(old: UnsafeRawBufferPointer, new: UnsafeRawBufferPointer) {
    (self.old, self.new) = (old, new)
    var end = 0
    let shorter = min(old.count, new.count)
    while end < shorter, old[old.count - 1 - end] == new[new.count - 1 - end] { end += 1 }
    (oldEnd, newEnd) = (old.count - end, new.count - end)
  }

  /// Returns the next difference with the equal bytes before it; `nil` at the end.
  mutating func next() -> Hunk? {
    let start = newPlace
    while oldPlace < oldEnd, newPlace < newEnd, old[oldPlace] == new[newPlace] {
      oldPlace += 1
      newPlace += 1
    }
    guard oldPlace < oldEnd || newPlace < newEnd else { return nil }
    let (dropped, added) = change()
    defer {
      oldPlace += dropped
      newPlace += added
    }
    return Hunk(kept: newPlace - start, dropped: dropped, added: added)
  }

  /// Returns the numbers of differing bytes here, after which the next bytes agree. If nothing
  /// agrees nearby, this is all the rest. Equal numbers are preferred.
  private func change() -> (dropped: Int, added: Int) {
    let rest = (dropped: oldEnd - oldPlace, added: newEnd - newPlace)
    for most in 1...NodeDifference.hunkBytesMax {
      if agrees(most, most) { return (most, most) }
      for least in stride(from: most - 1, through: 0, by: -1) {
        if agrees(most, least) { return (most, least) }
        if agrees(least, most) { return (least, most) }
      }
    }
    return rest
  }

  private func agrees(_ dropped: Int, _ added: Int) -> Bool {
    let (oldStart, newStart) = (oldPlace + dropped, newPlace + added)
    let size = MemoryLayout<UInt32>.size
    guard oldStart + size <= oldEnd, newStart + size <= newEnd else {
      // Directly before the equal suffix.
      return oldStart == oldEnd && newStart == newEnd
    }
    return old.loadUnaligned(fromByteOffset: oldStart, as: UInt32.self)
      == new.loadUnaligned(fromByteOffset: newStart, as: UInt32.self)
  }
}
