/// A node's connection to the log, and its state.
final class SimulatedConnection {
  let node: Int
  /// The connected server; `nil` if the node has to connect first.
  var server: SimulatedServer?
  /// Whether the other end has closed it.
  var isCut = false
  /// The end of the node's partition, by the log's clock.
  var awayUntil: Int64 = 0
  /// Whether the node has died.
  var isDead = false

  init(node: Int) { self.node = node }

  func restart() {
    isDead = false
    server = nil
    isCut = false
  }

  func heal(leader: SimulatedServer) {
    awayUntil = 0
    isCut = false
    if server !== leader { server = nil }
  }
}
