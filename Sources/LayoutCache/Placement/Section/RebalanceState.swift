import SumTree

/// The progress of a section's rebalances, which does not follow from its items.
struct RebalanceState: Sendable, Equatable {
  /// The skew at the section's end after its last placement from some item on, in units, if it
  /// exceeded the allowed skew; otherwise 0. Prevents repeated attempts to even out a skew that
  /// placement cannot remove.
  var settledSkew: Int64 = 0
  /// The unfinished rebalance, if any.
  var rebalance: Rebalance?

  // skew       varint, units: the settled skew
  // rebalance  u8: 0 for none, 1 and a Rebalance for an unfinished one

  func encode(into writer: inout ByteWriter) {
    writer.writeVarint(UInt64(settledSkew))
    writer.writeUInt8(rebalance == nil ? 0 : 1)
    rebalance?.encode(into: &writer)
  }
}

extension RebalanceState {
  /// - Parameter itemCount: The section's item count.
  init(from reader: inout ByteReader, itemCount: Int) throws(ByteError) {
    settledSkew = Int64(try reader.readCount(limit: PlacedAdvance.max))
    switch try reader.readUInt8() {
    case 0: break
    case 1: rebalance = try Rebalance(from: &reader, itemCount: itemCount)
    default: throw reader.malformed("rebalance")
    }
  }
}

/// A rebalance of a stable section that later commits continue with.
struct Rebalance: Sendable, Equatable {
  /// The next item to place again; the item count if none is left.
  var next: Int
  /// Whether it continues to the section's end; otherwise it stops once the columns' ends are even.
  var goesToEnd: Bool

  /// Adjusts ``next`` to an edit: it stays at the same item or, if that is deleted, at the
  /// following one. Items inserted immediately before it are not placed again.
  mutating func follow(_ edit: ItemEdit) {
    if case .change = edit { return }
    let range = edit.range
    if range.upperBound <= next {
      next += edit.newCount - range.count
    } else if range.lowerBound < next {
      next = range.lowerBound + edit.newCount
    }
  }

  // next  varint
  // mode  u8: 0 until the columns' ends are even, 1 to the section's end

  func encode(into writer: inout ByteWriter) {
    writer.writeCount(next)
    writer.writeUInt8(goesToEnd ? 1 : 0)
  }

  /// - Parameter itemCount: The section's item count.
  init(from reader: inout ByteReader, itemCount: Int) throws(ByteError) {
    next = try reader.readCount(limit: itemCount)
    let mode = try reader.readUInt8()
    guard mode <= 1 else { throw reader.malformed("rebalance") }
    goesToEnd = mode == 1
  }

  init(next: Int, goesToEnd: Bool) {
    self.next = next
    self.goesToEnd = goesToEnd
  }
}
