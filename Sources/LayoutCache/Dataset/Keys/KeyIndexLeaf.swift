import SumTree

/// One key in the index: its hash, and the label of the leaf that holds it.
struct KeyIndexEntry: Sendable, Equatable {
  /// The low 48 bits of the key's hash: few enough to take about four bytes each when sorted, and
  /// enough that keys rarely collide.
  var hash: UInt64
  var label: UInt64

  static let hashMask: UInt64 = (1 << 48) - 1
}

/// A run of the key index, sorted by hash, then by label.
struct KeyIndexLeaf: Sendable, Equatable {
  var entries: [KeyIndexEntry] = []

  /// Returns the index of the first entry whose hash is at least `hash`; the end if there is none.
  ///
  /// - Complexity: O(log entries).
  func firstIndex(atLeast hash: UInt64) -> Int {
    entries.indices.partitioningIndex { entries[$0].hash >= hash }
  }
}

/// The greatest hash of a run of the index.
struct KeyIndexSummary: Summary {
  /// `nil` for no entries.
  var lastHash: UInt64?

  static let identity = KeyIndexSummary(lastHash: nil)

  mutating func append(_ next: KeyIndexSummary) {
    lastHash = next.lastHash ?? lastHash
  }

  /// Checks that hashes do not decrease from leaf to leaf.
  func isProduct(of children: ContiguousArray<KeyIndexSummary>) -> Bool {
    var last: UInt64 = 0
    for child in children {
      guard let hash = child.lastHash, hash >= last else { return false }
      last = hash
    }
    return last == lastHash
  }

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(lastHash.map { $0 + 1 } ?? 0)
  }

  init(lastHash: UInt64?) { self.lastHash = lastHash }

  init(from reader: inout ByteReader) throws(ByteError) {
    let stored = try reader.readCount(limit: Int(KeyIndexEntry.hashMask) + 1)
    lastHash = stored == 0 ? nil : UInt64(stored) - 1
  }
}

/// A position in the index: the greatest hash before it.
struct KeyIndexPosition: Dimension {
  var lastHash: UInt64?

  mutating func advance(over summary: KeyIndexSummary, count: Int) {
    lastHash = summary.lastHash ?? lastHash
  }
}

extension KeyIndexLeaf: TreeLeaf {
  var count: Int { entries.count }

  var summary: KeyIndexSummary { KeyIndexSummary(lastHash: entries.last?.hash) }

  var byteCount: Int { entries.count * MemoryLayout<KeyIndexEntry>.stride }

  func slice(_ range: Range<Int>) -> KeyIndexLeaf {
    KeyIndexLeaf(entries: Array(entries[range]))
  }

  func joined(with next: KeyIndexLeaf) -> KeyIndexLeaf {
    KeyIndexLeaf(entries: entries + next.entries)
  }

  // count  varint, at least 1
  // base   varint: the least label
  // shift  u8: the number of trailing zero bits common to all (label - base)
  // hash   varint × count: the first, then the differences
  // label  varint × count: (label - base) >> shift

  func encode(into writer: inout ByteWriter) {
    let base = entries.reduce(.max) { min($0, $1.label) }
    let bits = entries.reduce(0) { $0 | ($1.label - base) }
    let shift = bits == 0 ? 0 : UInt8(bits.trailingZeroBitCount)
    writer.writeCount(count)
    writer.writeVarint(base)
    writer.writeUInt8(shift)
    var previous: UInt64 = 0
    for entry in entries {
      writer.writeVarint(entry.hash - previous)
      previous = entry.hash
    }
    for entry in entries { writer.writeVarint((entry.label - base) >> UInt64(shift)) }
  }

  init(from reader: inout ByteReader) throws(ByteError) {
    let count = try reader.readCount(limit: Int(Int32.max), sizeMin: 2)
    let base = try reader.readVarint()
    let shift = try reader.readUInt8()
    guard shift < 64 else { throw reader.malformed("label shift") }
    entries.reserveCapacity(count)
    var hash: UInt64 = 0
    for _ in 0..<count {
      let difference = try reader.readVarint()
      guard difference <= KeyIndexEntry.hashMask - hash else { throw reader.malformed("key hash") }
      hash += difference
      entries.append(KeyIndexEntry(hash: hash, label: 0))
    }
    for index in 0..<count {
      entries[index].label = base &+ (try reader.readVarint() << UInt64(shift))
    }
  }
}
