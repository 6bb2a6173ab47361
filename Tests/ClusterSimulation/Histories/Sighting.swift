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

  /// A node's answer to a client that has seen the state.
  package enum Answer: Hashable, Sendable {
    /// The node has the position; it has the dataset with this incarnation.
    case reached(incarnation: String)
    /// The position is of another history.
    case diverged
    /// The node does not answer.
    case none
  }

  /// Returns why the answer hides that the log has lost the state; `nil` if it does not.
  ///
  /// A stream continues if its incarnation is the present one, else it is reset.
  func violation(by answer: Answer, of node: Int) -> String? {
    guard case .reached(let present) = answer else { return nil }
    let stream = present == incarnation ? ", and a stream would continue" : ""
    return "node \(node) accepts a lost position\(stream): \(self)"
  }
}

extension Sighting: CustomStringConvertible {
  package var description: String {
    "\(name) at \(sequence) of dataset \(dataset), seen at node \(node) in life \(life)"
  }
}
