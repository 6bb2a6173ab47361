/// The name under which a store keeps a node. Never zero.
///
/// A node never changes under its id: an edited node is a new node.
public struct NodeID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number; at least 1.
  public let rawValue: UInt64

  /// Creates an id, or returns `nil` for zero.
  @inlinable
  public init?(rawValue: UInt64) {
    guard rawValue != 0 else { return nil }
    self.rawValue = rawValue
  }

  @inlinable
  public static func < (left: NodeID, right: NodeID) -> Bool {
    left.rawValue < right.rawValue
  }
}

extension NodeID: CustomStringConvertible {
  public var description: String { "#\(rawValue)" }
}
