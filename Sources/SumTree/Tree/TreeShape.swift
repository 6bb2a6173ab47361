/// The sizes of the nodes of a tree.
///
/// Every node except the root is at least a third full, so that a tree of `n` leaves is at most
/// log(n) to the base `childrenMin` high.
@usableFromInline package struct TreeShape: Hashable, Sendable {
  /// The largest number of elements in a leaf.
  @usableFromInline package let leafCapacity: Int

  /// The largest number of children of an inner node.
  @usableFromInline package let fanOut: Int

  /// Creates a shape.
  ///
  /// - Precondition: `leafCapacity >= 1` and `fanOut >= 3`.
  @usableFromInline package init(leafCapacity: Int, fanOut: Int) {
    precondition(leafCapacity >= 1, "A leaf holds at least one element.")
    precondition(fanOut >= 3, "An inner node holds at least three children.")
    self.leafCapacity = leafCapacity
    self.fanOut = fanOut
  }

  /// The maximum number of children of an inner node in a file, for any shape: low enough that
  /// sums over them do not overflow.
  @usableFromInline static let storedFanOutMax = 1024

  /// The maximum number of levels above the leaves of a tree in a file: with two children per
  /// node, enough for more elements than can be counted.
  @usableFromInline static let storedHeightMax = 63

  /// The minimum number of elements in a leaf that is not the root: a third of the capacity,
  /// rounded up.
  @usableFromInline package var elementsMin: Int { (leafCapacity + 2) / 3 }

  /// The minimum number of children of an inner node that is not the root: a third of the
  /// fan-out, rounded up, and at least two, because a chain of single children would not make
  /// the tree wider.
  @usableFromInline package var childrenMin: Int { max(2, (fanOut + 2) / 3) }

  /// The number of elements per leaf when several are built together: three quarters of the
  /// capacity, rounded up. The first insertion would split a full leaf.
  @usableFromInline package var elementsBuilt: Int { (leafCapacity * 3 + 3) / 4 }

  /// Splits elements into leaves: into one if it may hold them, otherwise into as many as hold
  /// ``elementsBuilt``, of sizes that differ by at most one element.
  ///
  /// - Parameter countMax: The maximum number of elements in a single leaf.
  @usableFromInline
  func leaves(for elementCount: Int, inOneUpTo countMax: Int) -> [Range<Int>] {
    if elementCount == 0 { return [] }
    let leafCount =
      elementCount <= countMax ? 1 : (elementCount + elementsBuilt - 1) / elementsBuilt
    return (0..<leafCount).map {
      elementCount * $0 / leafCount..<elementCount * ($0 + 1) / leafCount
    }
  }

  @usableFromInline
  func nodes(for childCount: Int) -> Partition {
    Partition(count: childCount, capacity: fanOut, pieceMin: childrenMin)
  }
}

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
