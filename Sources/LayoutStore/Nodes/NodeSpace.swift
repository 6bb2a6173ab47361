package import SumTree

/// A range of node ids that belongs to one owner: a dataset's trees, or the result of one layout.
/// Deleting the owner's nodes is one range delete.
///
/// Nodes that are stored whole have ids in its lower half, and those stored as differences
/// (``NodeDifference``) in its upper half. So the rows of differences, which are short and
/// short-lived, are adjacent.
package struct NodeSpace: Hashable, Sendable, RawRepresentable {
  /// The space's number, 1 to 2^25 - 1, which is never reused.
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The number of id bits that number the nodes of a space. The highest of them marks a
  /// difference.
  static let numberBits: Int64 = 38
  private static let differenceBit: Int64 = 1 << (numberBits - 1)
  /// The valid space numbers.
  static let range: ClosedRange<Int64> = 1...(1 << 25 - 1)
  /// The numbers of a space's nodes, and one for the next. A number is used for a whole node or a
  /// difference, never both.
  static let numbers: ClosedRange<Int64> = 1...differenceBit

  var ids: ClosedRange<Int64> { wholeIDs.lowerBound...differenceIDs.upperBound }

  /// The ids of nodes that are stored whole.
  var wholeIDs: ClosedRange<Int64> {
    let first = rawValue << Self.numberBits
    return first...(first + Self.differenceBit - 1)
  }

  /// The ids of nodes that are stored as differences.
  var differenceIDs: ClosedRange<Int64> {
    let first = rawValue << Self.numberBits + Self.differenceBit
    return first...(first + Self.differenceBit - 1)
  }

  /// The ids of the space, as unsigned node ids.
  package var nodeIDs: ClosedRange<UInt64> {
    UInt64(bitPattern: ids.lowerBound)...UInt64(bitPattern: ids.upperBound)
  }

  /// The ids of nodes that are stored whole, as unsigned node ids.
  var wholeNodeIDs: ClosedRange<UInt64> {
    UInt64(bitPattern: wholeIDs.lowerBound)...UInt64(bitPattern: wholeIDs.upperBound)
  }

  /// Creates the space that a node belongs to.
  package init(of id: NodeID) {
    rawValue = Int64(truncatingIfNeeded: id.rawValue >> UInt64(Self.numberBits))
  }

  /// Returns whether a node is stored as a difference.
  package static func isDifference(_ id: NodeID) -> Bool {
    id.rawValue & UInt64(differenceBit) != 0
  }

  static func number(of id: NodeID) -> Int64 {
    Int64(truncatingIfNeeded: id.rawValue & UInt64(differenceBit - 1))
  }

  /// Returns the id of a node.
  ///
  /// - Precondition: `number` is at least 1, and below 2^37.
  func id(number: Int64, isDifference: Bool = false) -> NodeID {
    let ids = isDifference ? differenceIDs : wholeIDs
    guard number < Self.numbers.upperBound, number > 0,
      let id = NodeID(rawValue: UInt64(ids.lowerBound + number))
    else { preconditionFailure("node number \(number) is out of range") }
    return id
  }
}
