/// A server that leads the log, or has led it.
final class SimulatedServer {
  typealias Change = (inout LogState) -> Void

  /// What it answers from.
  private(set) var state: LogState
  /// What its standbys have too, so that no fail-over takes it away.
  private(set) var durable: LogState
  /// What has led from the one to the other.
  private(set) var pending: [Change] = []
  /// Writes that have arrived and will be carried out later.
  var phantoms: [Change] = []
  var isAlive = true

  init(_ state: LogState) {
    self.state = state
    durable = state
  }

  /// What a standby continues from: what is durable, and a few of the changes behind.
  init(takingOverFrom old: SimulatedServer, pendingCount: Int) {
    state = old.durable
    durable = old.durable
    for change in old.pending.prefix(pendingCount) { carryOut(change) }
  }

  func carryOut(_ change: @escaping Change) {
    change(&state)
    pending.append(change)
  }

  /// The standbys have all that the server has.
  func replicate() {
    durable = state
    pending = []
  }
}
