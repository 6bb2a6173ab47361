/// A server that leads the log, or has led it.
final class SimulatedServer {
  typealias Change = (inout LogState) -> Void

  /// The state that it answers from.
  private(set) var state: LogState
  /// The state that its standbys have too, which survives a fail-over.
  private(set) var durable: LogState
  /// The changes between the durable and the current state.
  private(set) var pending: [Change] = []
  /// Writes that have arrived and will be applied later.
  var phantoms: [Change] = []
  var isAlive = true

  init(_ state: LogState) {
    self.state = state
    durable = state
  }

  /// Creates the server of a standby that takes over, with the durable state and the first
  /// `pendingCount` pending changes.
  init(takingOverFrom old: SimulatedServer, pendingCount: Int) {
    state = old.durable
    durable = old.durable
    for change in old.pending.prefix(pendingCount) { carryOut(change) }
  }

  func carryOut(_ change: @escaping Change) {
    change(&state)
    pending.append(change)
  }

  /// Brings the standbys up to date with the server.
  func replicate() {
    durable = state
    pending = []
  }
}
