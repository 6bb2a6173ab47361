package import SumTree

/// A range of node ids that belongs to one owner: a dataset's trees, or the
/// result of one layout. Dropping the owner's nodes is one range delete.
package struct NodeSpace: Hashable, Sendable, RawRepresentable {
  /// 1 to 2^25 - 1; a space is never used again.
  package var rawValue: Int64

  package init(rawValue: Int64) { self.rawValue = rawValue }

  /// The bits of an id that number the nodes of one space.
  static let numberBits: Int64 = 38
  /// The spaces that there are.
  static let range: ClosedRange<Int64> = 1...(1 << 25 - 1)
  /// The numbers of a space's nodes, and one for the next.
  static let numbers: ClosedRange<Int64> = 1...(1 << numberBits)

  /// The ids of the space.
  var ids: ClosedRange<Int64> {
    let first = rawValue << Self.numberBits
    return first...(first + (1 << Self.numberBits) - 1)
  }

  /// The ids of the space, as trees have them.
  package var nodeIDs: ClosedRange<UInt64> {
    let first = UInt64(truncatingIfNeeded: rawValue) << UInt64(Self.numberBits)
    return first...(first | (1 << UInt64(Self.numberBits) - 1))
  }

  /// The space that a node belongs to.
  package init(of id: NodeID) {
    rawValue = Int64(truncatingIfNeeded: id.rawValue >> UInt64(Self.numberBits))
  }

  /// The id of a node.
  ///
  /// - Precondition: `number` is at least 1, and below 2^38.
  func id(number: Int64) -> NodeID {
    guard number < Self.numbers.upperBound, number > 0,
      let id = NodeID(rawValue: UInt64(ids.lowerBound + number))
    else { preconditionFailure("node number \(number) is out of range") }
    return id
  }
}
