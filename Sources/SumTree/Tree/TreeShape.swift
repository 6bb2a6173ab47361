/// How large the nodes of a tree are.
///
/// Every node that is not the root is at least a third full, so that a tree of
/// `n` leaves is at most log(n) to the base `childrenMin` high.
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

  /// The children that an inner node may have in a file, whatever the shape: few enough
  /// that sums over them stay small.
  @usableFromInline static let storedFanOutMax = 1024

  /// The levels above the leaves that a tree may have in a file: with two children a
  /// node, enough for more elements than can be counted.
  @usableFromInline static let storedHeightMax = 63

  /// The smallest number of elements in a leaf that is not the root: a third
  /// of the capacity, rounded up.
  @usableFromInline package var elementsMin: Int { (leafCapacity + 2) / 3 }

  /// The smallest number of children of an inner node that is not the root: a
  /// third of the fan-out, rounded up, and at least two, because a chain of
  /// single children would not make the tree wider.
  @usableFromInline package var childrenMin: Int { max(2, (fanOut + 2) / 3) }

  /// The number of elements in a leaf that is made with others at once: three quarters of
  /// the capacity, rounded up. A full leaf would be cut by the first element that comes.
  @usableFromInline package var elementsBuilt: Int { (leafCapacity * 3 + 3) / 4 }

  /// Cuts elements into leaves: into one where that may take them, and otherwise into as
  /// many as hold ``elementsBuilt``, all alike but for one element.
  ///
  /// - Parameter countMax: The elements that one leaf may take.
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
