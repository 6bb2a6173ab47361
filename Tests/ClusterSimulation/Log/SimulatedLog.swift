import LayoutCluster
package import TestSupport

/// A shared log in memory, for nodes that all run in one thread, with faults by seed.
///
/// Guarantees under all faults: an append that is acknowledged with `.appended` is never lost,
/// nor are entries returned by a handle's reads. Other results may come from a deposed leader, or
/// vanish.
///
/// - Precondition: The log and its handles are called from one thread. They are `Sendable`
///   because ``SharedLog`` is.
package final class SimulatedLog: @unchecked Sendable {
  package static let ticksPerSecond: Int64 = 1000

  package var rates = FaultRates.none
  /// Takes a step of a node that does not wait for an answer, if there is one.
  package var runOther: (() -> Void)?
  /// One line per call and fault; `nil` if tracing is off.
  package var trace: [String]?

  /// The shared clock. It advances by one with each event.
  package private(set) var clock: Int64 = 0
  /// The time of the last loss of acknowledged entries, by ``FaultRates/loss``.
  package private(set) var lastLoss: Int64?
  /// How often each fault has occurred, by the name of its rate.
  package private(set) var faultCounts: [String: Int] = [:]
  package private(set) var callCount = 0

  private var generator: SeededGenerator
  private(set) var leader: SimulatedServer
  private var deposed: [SimulatedServer] = []
  /// Earlier durable states, the newest last.
  private var snapshots: [LogState] = []
  private var connections: [SimulatedConnection] = []

  package init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    leader = SimulatedServer(LogState(incarnation: generator.bytes(16)))
    self.generator = generator
  }

  package func handle(node: Int) -> SimulatedLogHandle {
    let connection = SimulatedConnection(node: node)
    connections.append(connection)
    return SimulatedLogHandle(log: self, connection: connection)
  }

  /// The leader's state, durable or not.
  package var state: LogState { leader.state }

  package func tick() -> Int64 {
    clock += 1
    return clock
  }

  /// Ends all faults: pending writes have arrived or never will, and all nodes reach the leader.
  package func heal() {
    rates = .none
    for change in leader.phantoms where generator.oneIn(2) { leader.carryOut(change) }
    leader.phantoms = []
    leader.replicate()
    for server in deposed { server.isAlive = false }
    for connection in connections { connection.heal(leader: leader) }
  }

  // MARK: Calls

  func read<Answer>(
    _ name: String, by connection: SimulatedConnection, _ answer: (LogState) -> Answer
  ) throws -> Answer {
    let server = try arrive(name, by: connection)
    let answer = answer(server.state)
    try wait(for: server, connection)
    if happens(\.lostAnswer, "lostAnswer") {
      throw fail(name, .unavailable("the answer is lost"), connection)
    }
    note(name, "\(answer)", connection)
    return answer
  }

  /// - Parameter isChange: Whether the answer means that something was written: only then does
  ///   a standby acknowledge it and make it durable.
  func write<Answer>(
    _ name: String, by connection: SimulatedConnection, isChange: (Answer) -> Bool = { _ in true },
    _ change: @escaping (inout LogState) -> Answer
  ) throws -> Answer {
    let server = try arrive(name, by: connection)
    if happens(\.phantom, "phantom") {
      server.phantoms.append { _ = change(&$0) }
      throw fail(name, .unknown("it is still on its way"), connection)
    }
    var answers: [Answer] = []
    server.carryOut { answers.append(change(&$0)) }
    if happens(\.duplicate, "duplicate") { server.carryOut { answers.append(change(&$0)) } }
    let answer = answers.randomElement(using: &generator)!
    try wait(for: server, connection, isWrite: true)
    guard isChange(answer) else {
      note(name, "\(answer), as a read", connection)
      return answer
    }
    // A deposed leader waits for its standbys forever, or until an operator cancels the wait.
    guard server === leader else {
      throw fail(name, .unknown("no standby has acknowledged it"), connection)
    }
    if happens(\.lostAnswer, "lostAnswer") {
      if generator.oneIn(2) { replicate() }
      throw fail(name, .unknown("the answer is lost"), connection)
    }
    replicate()
    note(name, "\(answer)", connection)
    return answer
  }

  // MARK: Faults

  /// Returns the server that the call reaches, after the faults on its way.
  private func arrive(_ name: String, by connection: SimulatedConnection) throws -> SimulatedServer
  {
    clock += 1
    callCount += 1
    guard !connection.isDead else { throw Killed() }
    interleave()
    strikeLog()
    try strike(connection)
    if clock < connection.awayUntil { throw fail(name, .unavailable("partitioned"), connection) }
    if happens(\.lostCall, "lostCall") {
      throw fail(name, .unavailable("the call is lost"), connection)
    }
    // A cut connection fails one call: the caller must know that another server answers the
    // next one.
    if let server = connection.server {
      if server.isAlive, !connection.isCut { return server }
      throw fail(name, .unavailable("the connection was cut"), connection)
    }
    let server = connect()
    connection.server = server
    return server
  }

  private func connect() -> SimulatedServer {
    let alive = deposed.filter(\.isAlive)
    guard !alive.isEmpty, happens(\.deposedLeaderFinding, "deposedLeaderFinding") else {
      return leader
    }
    return alive.randomElement(using: &generator)!
  }

  /// Applies the faults that occur while the answer is on its way.
  private func wait(
    for server: SimulatedServer, _ connection: SimulatedConnection, isWrite: Bool = false
  ) throws {
    interleave()
    try strike(connection)
    guard server.isAlive, !connection.isCut else {
      let failure =
        isWrite
        ? SharedLogFailure.unknown("the connection was cut")
        : .unavailable("the connection was cut")
      throw fail("answer", failure, connection)
    }
  }

  func pause(ticks: Int64) {
    clock += ticks
    if rates != .none { for _ in 0..<Int.random(in: 0...3, using: &generator) { runOther?() } }
  }

  private func interleave() {
    if happens(\.interleaving, "interleaving") {
      for _ in 0..<Int.random(in: 1...2, using: &generator) { runOther?() }
    }
    if happens(\.pause, "pause") {
      clock += Int64.random(in: 1...1000, using: &generator)
      for _ in 0..<Int.random(in: 5...20, using: &generator) { runOther?() }
    }
  }

  /// Applies faults of one node.
  private func strike(_ connection: SimulatedConnection) throws {
    if happens(\.partition, "partition") {
      connection.awayUntil = clock + Int64.random(in: 1...300, using: &generator)
    }
    if happens(\.death, "death") {
      connection.isDead = true
      note("death", "", connection)
      throw Killed()
    }
  }

  /// Applies faults of the log itself, and calls of others.
  private func strikeLog() {
    if happens(\.phantomArrival, "phantomArrival") { carryOutPhantom() }
    if happens(\.failOver, "failOver") { failOver() }
    if happens(\.loss, "loss") { lose() }
    if happens(\.upgrade, "upgrade") {
      leader.carryOut { $0.info.rules += 1 }
      replicate()
    }
    if happens(\.epoch, "epoch"), let id = leader.state.datasets.keys.min() {
      // As an operator does to revoke a dataset from all writers.
      leader.carryOut { state in
        let epoch = state.datasets[id]?.epoch ?? 0
        _ = state.raiseEpoch(of: id, from: epoch, to: epoch + 1)
      }
      replicate()
    }
  }

  private func carryOutPhantom() {
    let waiting = (deposed + [leader]).filter { !$0.phantoms.isEmpty }
    guard let server = waiting.randomElement(using: &generator) else { return }
    let index = server.phantoms.indices.randomElement(using: &generator)!
    server.carryOut(server.phantoms.remove(at: index))
    note("a phantom comes")
  }

  private func failOver() {
    let old = leader
    leader = SimulatedServer(
      takingOverFrom: old, pendingCount: Int.random(in: 0...old.pending.count, using: &generator))
    old.isAlive = happens(\.deposedLeaderLife, "deposedLeaderLife")
    deposed.append(old)
    for connection in connections where connection.server === old && generator.oneIn(2) {
      connection.isCut = true
    }
    note("a fail-over, the old leader \(old.isAlive ? "lives" : "is dead")")
  }

  private func lose() {
    guard let earlier = snapshots.randomElement(using: &generator) else { return }
    for server in deposed + [leader] { server.isAlive = false }
    leader = SimulatedServer(earlier)
    lastLoss = tick()
    note("the log is restored")
  }

  /// The state that a backup would have now.
  package var backup: LogState { leader.durable }

  /// Replaces the log by a backup, as an operator does who restores it.
  package func restore(_ backup: LogState) {
    leader.isAlive = false
    leader = SimulatedServer(backup)
  }

  private func replicate() {
    leader.replicate()
    snapshots.append(leader.durable)
    if snapshots.count > 16 { snapshots.removeFirst() }
  }

  /// Protects the calls so far from ``FaultRates/loss``.
  package func secure() { snapshots = [leader.durable] }

  private func happens(_ rate: KeyPath<FaultRates, Double>, _ name: String) -> Bool {
    let likelihood = rates[keyPath: rate]
    guard likelihood > 0, Double.random(in: 0..<1, using: &generator) < likelihood else {
      return false
    }
    faultCounts[name, default: 0] += 1
    return true
  }

  /// Ends the node's connection; the node learns of it by the failure.
  private func fail(
    _ call: String, _ failure: SharedLogFailure, _ connection: SimulatedConnection
  ) -> SharedLogFailure {
    connection.server = nil
    connection.isCut = false
    note(call, "\(failure)", connection)
    return failure
  }

  private func note(
    _ call: String, _ answer: @autoclosure () -> String, _ connection: SimulatedConnection
  ) {
    guard trace != nil else { return }
    let isDeposed = connection.server.map { $0 !== leader } ?? false
    note("node \(connection.node)\(isDeposed ? " (deposed)" : ""): \(call) → \(answer())")
  }

  package func note(_ line: @autoclosure () -> String) {
    if trace != nil { trace!.append("\(clock) \(line())") }
  }
}

/// The death of a node. Callers of the log do not catch it; the simulation does.
package struct Killed: Error {}

extension SeededGenerator {
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}
