import Dispatch
import Synchronization

/// Connections to the primary, opened when they are needed and kept.
///
/// A connection that has failed is closed, and all that were opened before it: what has taken
/// one away has often taken all. The next one is sought from the host after on.
final class PostgresPool: Sendable {
  private struct State {
    var idle: [(connection: PostgresConnection, generation: Int)] = []
    /// Rises with each connection that fails.
    var generation = 0
    /// The host to try first.
    var host = 0
    var isClosed = false
  }

  private let target: PostgresTarget
  private let options: PostgresOptions
  private let greet: @Sendable (PostgresConnection) throws -> Void
  private let state = Mutex(State())
  /// Counts the connections that may still be taken.
  private let places: DispatchSemaphore

  /// - Parameter greet: What is to be done on each connection before it is used.
  init(
    _ target: PostgresTarget, _ options: PostgresOptions,
    greet: @escaping @Sendable (PostgresConnection) throws -> Void
  ) {
    self.target = target
    self.options = options
    self.greet = greet
    places = DispatchSemaphore(value: options.connectionCountMax)
  }

  /// The number of connections that are kept and not in use.
  var idleCount: Int { state.withLock { $0.idle.count } }

  /// Runs `body` on a connection that nobody else uses.
  ///
  /// - Throws: ``PostgresError`` with `isUnsent` where there is none; what `body` throws.
  func use<R>(_ body: (PostgresConnection) throws -> R) throws -> R {
    guard places.wait(timeout: .now() + options.answerTimeout) == .success else {
      throw PostgresError(.unsent, "all connections to PostgreSQL are in use")
    }
    defer { places.signal() }
    let (connection, generation) = try take()
    defer { giveBack(connection, generation) }
    return try body(connection)
  }

  /// Closes the connections that are idle, and those in use when they are given back.
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
    if isClosed { throw PostgresError(.unsent, "the connections were closed") }
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
    throw PostgresError(
      .unsent, state: failures[0].state,
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

  /// Closes a connection that has failed, and those that nobody uses.
  private func drop(_ connection: PostgresConnection, _ generation: Int) {
    connection.close()
    let idle = state.withLock { state in
      // Others of its age have failed before, and what is there has come since.
      if state.generation != generation { return [] as [PostgresConnection] }
      state.generation += 1
      state.host = (state.host + 1) % target.hosts.count
      defer { state.idle = [] }
      return state.idle.map(\.connection)
    }
    for connection in idle { connection.close() }
  }
}

/// How connections are made and used; times in seconds.
package struct PostgresOptions: Sendable {
  /// How long to wait for a connection to one host.
  package var connectTimeout: Double = 2
  /// After how long the server gives up a statement, and has done nothing. The commit of one
  /// that is carried out, which waits for a standby, does not count.
  package var statementTimeout: Double = 3
  /// After how long a statement without an answer is given up, and may have been carried out or
  /// not. Longer than ``statementTimeout``: what the server says is better to know.
  package var answerTimeout: Double = 5
  /// The connections that are used at once at most.
  package var connectionCountMax = 16
  /// The versions of the layout rules that the node knows, as it tells others.
  package var rules = 1...1
  /// What people call the node.
  package var title = ""

  package init() {}
}
