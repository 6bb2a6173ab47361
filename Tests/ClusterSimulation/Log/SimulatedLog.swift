import LayoutCluster
package import TestSupport

/// A shared log in memory, for nodes that all run in one thread, with faults by seed.
///
/// What it promises, whatever the faults: an append that is acknowledged with `isDone` is never
/// lost, nor is what ``SharedLog/read(node:_:)`` gives out. All else that is read may be of
/// a deposed leader, or vanish.
///
/// - Precondition: One thread calls, the log's handles too. They are `Sendable` because
///   ``SharedLog`` is.
package final class SimulatedLog: @unchecked Sendable {
  package static let ticksPerSecond: Int64 = 1000

  package var rates = FaultRates.none
  /// Takes a step of some other node than those that wait for an answer, if there is one.
  package var runOther: (() -> Void)?
  /// Has a line for each call and fault, where somebody wants it.
  package var trace: [String]?

  /// A clock that all share. It rises by one with whatever happens.
  package private(set) var clock: Int64 = 0
  /// When acknowledged entries were lost last, by ``FaultRates/loss``.
  package private(set) var lastLoss: Int64?
  /// How often each fault has been, by the name of its rate.
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

  /// What the leader has, whether it is durable or not.
  package var state: LogState { leader.state }

  package func tick() -> Int64 {
    clock += 1
    return clock
  }

  /// Ends all faults: what is on its way has arrived or never does, everybody finds the leader.
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

  /// - Parameter isChange: Whether the answer says that something was written: only then is it
  ///   acknowledged by a standby, and so durable.
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
    let isSecond = answers.count > 1 && happens(\.secondAnswer, "secondAnswer")
    let answer = isSecond ? answers[1] : answers[0]
    try wait(for: server, connection, isWrite: true)
    guard isChange(answer) else {
      note(name, "\(answer), as a read", connection)
      return answer
    }
    // A deposed leader waits for its standbys for ever, or until somebody cancels that.
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

  /// The server that the call reaches, after whatever happens on its way.
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
    // A connection that was cut shows by one call that fails: whoever calls has to know that
    // what comes next is answered by another server.
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

  /// What happens while the answer is on its way.
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

  /// Faults of one node.
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

  /// Faults of the log itself, and what others do to it.
  private func strikeLog() {
    if happens(\.phantomArrival, "phantomArrival") { carryOutPhantom() }
    if happens(\.failOver, "failOver") { failOver() }
    if happens(\.loss, "loss") { lose() }
    if happens(\.upgrade, "upgrade") {
      leader.carryOut { $0.info.rules += 1 }
      replicate()
    }
    if happens(\.epoch, "epoch"), let id = leader.state.datasets.keys.min() {
      leader.carryOut { $0.raiseEpoch(of: id) }
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
      takingOverFrom: old,
      pendingCount: Int.random(in: 0...old.pending.count, using: &generator))
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

  private func replicate() {
    leader.replicate()
    snapshots.append(leader.durable)
    if snapshots.count > 16 { snapshots.removeFirst() }
  }

  /// The calls up to here can't be lost by ``FaultRates/loss``.
  package func secure() { snapshots = [leader.durable] }

  private func happens(_ rate: KeyPath<FaultRates, Double>, _ name: String) -> Bool {
    let likelihood = rates[keyPath: rate]
    guard likelihood > 0, Double.random(in: 0..<1, using: &generator) < likelihood else {
      return false
    }
    faultCounts[name, default: 0] += 1
    return true
  }

  /// Ends the node's connection; it finds out by the failure.
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

/// A node dies here. What calls the log does not catch it, and the simulation does.
package struct Killed: Error {}

extension SeededGenerator {
  package mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}
