/// The identifier of a node in a store. Never zero.
///
/// The node with an ID never changes: an edited node is a new node.
@usableFromInline package struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number; at least 1.
  @usableFromInline package let rawValue: UInt64

  /// Creates an ID; `nil` for zero.
  @inlinable
  package init?(rawValue: UInt64) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  @inlinable
  package static func < (left: NodeID, right: NodeID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension NodeID: CustomStringConvertible {
  @usableFromInline package var description: String { "#\(rawValue)" }
}
