package import LayoutCluster

/// A state of a dataset that a client has seen at a node.
package struct Sighting: Sendable {
  package var name: String
  package var node: Int
  /// The node's ``SimulatedNode/life``.
  package var life: Int
  package var token: PositionToken
  package var dataset: Int64
  package var sequence: Int
  package var chain: [UInt8]
  package var incarnation: String

  package init(
    name: String, node: Int, life: Int, token: PositionToken, dataset: Int64, sequence: Int,
    chain: [UInt8], incarnation: String
  ) {
    (self.name, self.node, self.life, self.token) = (name, node, life, token)
    (self.dataset, self.sequence, self.chain) = (dataset, sequence, chain)
    self.incarnation = incarnation
  }

  /// A node's answer to a client that has seen the state.
  package struct Answer: Sendable {
    /// Whether a read that requires the position is answered.
    package var isAccepted: Bool
    /// A stream continues if its incarnation is this one, else it is reset.
    package var incarnation: String

    package init(isAccepted: Bool, incarnation: String) {
      (self.isAccepted, self.incarnation) = (isAccepted, incarnation)
    }
  }

  /// Returns why the answer hides that the log has lost the state; `nil` if it does not.
  package func violation(by answer: Answer, of node: Int) -> String? {
    if answer.isAccepted { return "node \(node) accepts a lost position: \(self)" }
    if answer.incarnation == incarnation {
      return "node \(node) would continue a stream after a lost tail: \(self)"
    }
    return nil
  }
}

extension Sighting: CustomStringConvertible {
  package var description: String {
    "\(name) at \(sequence) of dataset \(dataset), seen at node \(node) in life \(life)"
  }
}
