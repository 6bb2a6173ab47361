package import LayoutCache

/// A position in the log of a cluster's dataset. Clients store it to read their own writes, or
/// the state they have seen, from any node.
///
/// The text form is four numbers separated by dots: the dataset's history and its number in the
/// log, the sequence and the chain. The history, and the first eight bytes of the chain, are in
/// hexadecimal.
package struct PositionToken: Hashable, Sendable {
  let history: UInt64
  let dataset: Int64
  let sequence: Int
  let chain: UInt64

  package init(_ position: SharedPosition, of history: Int64) {
    self.history = UInt64(bitPattern: history)
    dataset = position.dataset
    sequence = position.sequence
    chain = Self.prefix(of: position.chain)
  }

  /// - Returns: `nil` for a text that is not a token.
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let history = UInt64(parts[0], radix: 16),
      let dataset = Int64(parts[1]),
      let sequence = Int(parts[2]), sequence >= 0, let chain = UInt64(parts[3], radix: 16)
    else { return nil }
    self.history = history
    (self.dataset, self.sequence, self.chain) = (dataset, sequence, chain)
  }

  package var text: String {
    "\(String(history, radix: 16)).\(dataset).\(sequence).\(String(chain, radix: 16))"
  }

  /// Returns whether a node with a dataset's status has reached the token's position.
  ///
  /// - Throws: ``ClusterError`` with `diverged` if the node's state belongs to another history.
  func isReached(by status: ReplicaStatus) throws -> Bool {
    guard let reached = status.reached else { return false }
    guard dataset == reached.dataset else { throw ClusterError.diverged }
    guard history == status.history.map({ UInt64(bitPattern: $0) }),
      status.contains(self) ?? true
    else { throw ClusterError.diverged }
    return reached.sequence >= sequence
  }

  static func prefix(of bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
