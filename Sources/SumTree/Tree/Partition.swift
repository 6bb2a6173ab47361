/// The ranges that split a run of children into nodes: all full, except that the last two share
/// evenly if the last would otherwise be less than a third full.
///
/// A run shorter than the minimum is one undersized piece. Sharing evenly, instead of moving
/// just enough, leaves room on both sides of a split.
@usableFromInline
struct Partition: RandomAccessCollection {
  @usableFromInline let startIndex = 0
  @usableFromInline let endIndex: Int
  private let total: Int
  private let capacity: Int

  /// The start of the last piece.
  private let lastStart: Int

  @usableFromInline
  init(count total: Int, capacity: Int, pieceMin: Int) {
    let pieces = (total + capacity - 1) / capacity
    let last = total - (pieces - 1) * capacity
    let borrowed = pieces > 1 && last < pieceMin ? capacity - (capacity + last + 1) / 2 : 0
    self.total = total
    self.capacity = capacity
    endIndex = pieces
    lastStart = total - last - borrowed
  }

  @usableFromInline
  subscript(piece: Int) -> Range<Int> {
    piece == endIndex - 1
      ? lastStart..<total
      : piece * capacity..<Swift.min((piece + 1) * capacity, lastStart)
  }
}
