/// A stored node together with everything below it, as a tree's edit leaves it
/// behind: enough to enumerate its nodes later.
public struct StoredSubtree: Hashable, Sendable {
  /// The topmost node.
  public let id: NodeID

  /// The number of levels below it; at least 1.
  public let height: Int

  /// The number of elements below it.
  public let count: Int

  @inlinable
  public init(id: NodeID, height: Int, count: Int) {
    self.id = id
    self.height = height
    self.count = count
  }
}
