import Dispatch
import Synchronization

/// Connections to the primary, opened on demand and reused.
///
/// When a connection fails, it is closed together with all that were opened before it: the cause
/// of one failure often affects all. The next connection is tried from the following host on.
final class PostgresPool: Sendable {
  private struct State {
    var idle: [(connection: PostgresConnection, generation: Int)] = []
    /// The generation of the connections; incremented when a connection fails.
    var generation = 0
    /// The host to try first.
    var host = 0
    var isClosed = false
  }

  private let target: PostgresTarget
  private let options: PostgresOptions
  private let greet: @Sendable (PostgresConnection) throws -> Void
  private let state = Mutex(State())
  /// The number of connections that may still be used.
  private let places: DispatchSemaphore

  /// - Parameter greet: A check that runs on each new connection before it is used.
  init(
    _ target: PostgresTarget, _ options: PostgresOptions,
    greet: @escaping @Sendable (PostgresConnection) throws -> Void
  ) {
    (self.target, self.options, self.greet) = (target, options, greet)
    places = DispatchSemaphore(value: options.connectionCountMax)
  }

  /// The number of idle connections.
  var idleCount: Int { state.withLock { $0.idle.count } }

  /// Runs `body` with exclusive use of a connection.
  ///
  /// - Throws: ``PostgresError`` with `unsent` or `crowded` if there is no connection; errors of `body`.
  func use<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    guard places.wait(timeout: .now() + options.answerTimeout) == .success else {
      throw PostgresError(.crowded, "all connections to PostgreSQL are in use")
    }
    defer { places.signal() }
    let (connection, generation) = try take()
    defer { giveBack(connection, generation) }
    return try body(connection)
  }

  /// Closes idle connections immediately, and those in use when they are returned.
  func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for (connection, _) in idle { connection.close() }
  }

  private func take() throws -> (PostgresConnection, generation: Int) {
    while let known = state.withLock({ $0.idle.popLast() }) {
      if known.connection.isStillOpen() { return known }
      drop(known.connection, known.generation)
    }
    let (first, generation, isClosed) = state.withLock { ($0.host, $0.generation, $0.isClosed) }
    if isClosed { throw PostgresError(.unsent, "the connection pool is closed") }
    var failures: [PostgresError] = []
    for offset in target.hosts.indices {
      let host = (first + offset) % target.hosts.count
      do {
        let connection = try PostgresConnection(
          target.hosts[host], connectDeadline: options.connectTimeout,
          deadline: options.answerTimeout)
        try greet(connection)
        state.withLock { state in
          if state.generation == generation { state.host = host }
        }
        return (connection, generation)
      } catch let error as PostgresError {
        failures.append(error)
      }
    }
    // A server's own reason tells more than a host that does not answer.
    throw PostgresError(
      .unsent, state: failures.lazy.map(\.state).first { !$0.isEmpty } ?? "",
      failures.map(\.message).joined(separator: "; "))
  }

  private func giveBack(_ connection: PostgresConnection, _ generation: Int) {
    guard connection.isSound else { return drop(connection, generation) }
    let isKept = state.withLock { state in
      if state.isClosed || state.generation != generation { return false }
      state.idle.append((connection, generation))
      return true
    }
    if !isKept { connection.close() }
  }

  /// Closes a failed connection, and all idle ones.
  private func drop(_ connection: PostgresConnection, _ generation: Int) {
    connection.close()
    let idle = state.withLock { state in
      // A connection of the same generation failed before, so the idle ones are newer.
      if state.generation != generation { return [] as [PostgresConnection] }
      state.generation += 1
      state.host = (state.host + 1) % target.hosts.count
      defer { state.idle = [] }
      return state.idle.map(\.connection)
    }
    for connection in idle { connection.close() }
  }
}

/// Options of connections. Times are in seconds.
package struct PostgresOptions: Sendable {
  /// The maximum time to connect to one host.
  package var connectTimeout: Double = 2
  /// The time after which the server cancels a statement without an effect. The wait of a commit
  /// for a standby does not count.
  package var statementTimeout: Double = 3
  /// The time after which the client abandons an unanswered statement, whose outcome is then
  /// unknown. Longer than ``statementTimeout``, because the server's own answer is preferable.
  package var answerTimeout: Double = 5
  /// The maximum number of connections in use.
  package var connectionCountMax = 16
  /// The versions of the layout rules that the node supports, published in its row.
  package var rules = 1...1
  /// The node's display name.
  package var title = ""

  package init() {}
}
