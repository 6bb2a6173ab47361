package import LayoutCache

/// A position in the log of a cluster's dataset. Clients store it to read their own writes, or
/// the state they have seen, from any node.
///
/// The text form is four numbers separated by dots: the log's name, the dataset's number, the
/// sequence and the chain. The name and the chain are their first eight bytes in hexadecimal.
package struct PositionToken: Hashable, Sendable {
  let log: UInt64
  let dataset: Int64
  let sequence: Int
  let chain: UInt64

  package init(_ position: SharedPosition, in log: [UInt8]) {
    self.log = Self.prefix(of: log)
    dataset = position.dataset
    sequence = position.sequence
    chain = Self.prefix(of: position.chain)
  }

  /// - Returns: `nil` for a text that is not a token.
  package init?(text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4, let log = UInt64(parts[0], radix: 16), let dataset = Int64(parts[1]),
      let sequence = Int(parts[2]), sequence >= 0, let chain = UInt64(parts[3], radix: 16)
    else { return nil }
    (self.log, self.dataset, self.sequence, self.chain) = (log, dataset, sequence, chain)
  }

  package var text: String {
    "\(String(log, radix: 16)).\(dataset).\(sequence).\(String(chain, radix: 16))"
  }

  /// Returns whether a node at `position` has reached the token's position.
  ///
  /// - Throws: ``ClusterError`` with `diverged` if `position` belongs to another history.
  func isReached(at position: SharedPosition, in log: [UInt8]) throws -> Bool {
    guard self.log == Self.prefix(of: log), dataset == position.dataset,
      sequence != position.sequence || chain == Self.prefix(of: position.chain)
    else { throw ClusterError.diverged }
    return position.sequence >= sequence
  }

  static func prefix(of bytes: [UInt8]) -> UInt64 {
    bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
