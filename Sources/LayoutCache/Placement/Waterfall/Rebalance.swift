import LayoutGeometry
import SumTree

/// A rebalance of a stable section that later commits continue with.
struct Rebalance: Sendable, Equatable {
  /// The next item to place again; the item count if none is left.
  var next: Int
  /// Whether it continues to the section's end; otherwise it stops once the columns' ends are
  /// even.
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
