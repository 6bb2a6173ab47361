/// A change of the names in a log.
package struct NameChange: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case created(String)
    case removed(String)
    case renamed(String, to: String)
  }

  package var kind: Kind
  package var dataset: Int64
  /// The call that made the change, now or later.
  var call: SimulatedCall
}

/// A node's call of a log.
package struct SimulatedCall: Hashable, Sendable {
  var node: Int
  /// When it was sent.
  var time: Int64
}
