/// The name under which a store keeps a node. Never zero.
///
/// A node never changes under its id: an edited node is a new node.
@usableFromInline package struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number; at least 1.
  @usableFromInline package let rawValue: UInt64

  /// Creates an id, or returns `nil` for zero.
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
