import ClusterTestSupport
import Dispatch
import Foundation
import LayoutCache
import LayoutCluster
import LayoutReplication
import Synchronization
import TestSupport
import Testing

@testable import PostgresLog

/// A primary whose commits wait for a standby, and commits whose wait is interrupted.
@Suite(needsPostgres, .serialized) struct StandbyTests {
  private let primary: PostgresServer
  private let standby: PostgresServer
  private let options: PostgresOptions

  init() throws {
    primary = try PostgresServer()
    standby = try primary.standby()
    let connection = try primary.connection()
    try connection.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
    try connection.execute("SELECT pg_reload_conf()")
    try waitUntil("the standby follows") {
      try connection.read("SELECT sync_state FROM pg_stat_replication") { try $0.text(0) }
        == ["sync"]
    }
    var options = PostgresOptions()
    options.statementTimeout = 0.5
    options.answerTimeout = 1
    self.options = options
    #expect(try PostgresLog.initialize(primary.url(), rules: 1).connectedStandbyCount == 1)
  }

  /// The query for sessions that wait for the standby.
  private static let waiters =
    "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> pg_backend_pid()"

  /// The number of rounds per client.
  private static let steps = PropertyRun.steps(40)

  @Test(arguments: [PropertyRun.changingSeed])
  func acknowledgedEntriesAreKeptAndRejectedOnesAbsent(seed: UInt64) throws {
    let log = try PostgresLog(primary.url())
    defer { log.close() }
    let feeds = try ["a", "b"].map { try ContractTools.make($0, in: log) }
    let journal = Mutex(Journal())
    let clients = DispatchGroup()
    for client in 0..<4 {
      DispatchQueue(label: "client \(client)").async(group: clients) {
        var generator = SeededGenerator(seed: seed &+ UInt64(client))
        do {
          let log = try PostgresLog(primary.url(), options: options)
          defer { log.close() }
          let proposer = Proposer(log: log, dataset: feeds[client % 2].position.dataset)
          for _ in 0..<Self.steps {
            let name = [UInt8].randomName()
            let (outcome, unknownCount) = try proposer.propose(
              name, givesUp: Bool.random(using: &generator), seconds: 30)
            journal.withLock { $0.note(outcome, unknownCount, of: name) }
          }
        } catch {
          journal.withLock { $0.failures.append("seed \(seed): \(error)") }
        }
      }
    }
    let disturbedCount = disturb(until: clients, seed: seed)
    #expect(disturbedCount > 0)

    let found = try feeds.map { try ContractTools.all(of: $0.position.dataset, in: log) }
    let result = journal.withLock { $0 }
    #expect(result.failures == [])
    #expect(!result.committed.isEmpty)
    let names = found.joined().map(\.request.name)
    #expect(Set(names).count == names.count, "seed \(seed): an entry is in the log twice")
    #expect(result.committed.isSubset(of: names), "seed \(seed): an entry is lost")
    #expect(result.refused.isDisjoint(with: names), "seed \(seed): a rejected entry exists")
    #expect(Set(names).isSubset(of: result.committed.union(result.unknown)))
    for (feed, entries) in zip(feeds, found) {
      var chain = feed.position.chain
      for (index, entry) in entries.enumerated() {
        #expect(entry.sequence == index + 1)
        #expect(entry.isNext(after: chain), "seed \(seed): entry \(entry.sequence)")
        chain = entry.chain
      }
    }
    // Whether a disturbance meets a commit that waits depends on the machine.
    withKnownIssue("the disturbances met no waiting commit", isIntermittent: true) {
      #expect(result.unknownAnswers > 0, "seed \(seed): nothing was disturbed")
    }
  }

  /// Delays the standby occasionally, and terminates sessions that wait for it, until the
  /// clients are done.
  ///
  /// - Returns: The number of terminated waits.
  private func disturb(until clients: DispatchGroup, seed: UInt64) -> Int {
    var generator = SeededGenerator(seed: seed)
    var count = 0
    let end = Date().addingTimeInterval(80)
    while clients.wait(timeout: .now()) == .timedOut, Date() < end {
      let receiver = standby.children("walreceiver").first
      if let receiver { kill(receiver, SIGSTOP) }
      usleep(UInt32.random(in: 5_000...60_000, using: &generator))
      if let connection = try? primary.connection() {
        let ends = Bool.random(using: &generator) ? "pg_cancel_backend" : "pg_terminate_backend"
        let ended = try? connection.read(
          "SELECT \(ends)(pid) FROM (\(Self.waiters)) AS waiting"
        ) { try $0.bool(0) }
        count += ended?.count ?? 0
      }
      if let receiver { kill(receiver, SIGCONT) }
      usleep(UInt32.random(in: 0...40_000, using: &generator))
    }
    return count
  }

  /// Unacknowledged entries are visible on a primary that has lost its standby, even after a
  /// crash, but must not be trusted: after the standby's promotion they do not exist.
  @Test func unreplicatedEntriesOfAPrimaryAreNotTrusted() throws {
    let patient = try PostgresLog(primary.url())
    defer { patient.close() }
    let begin = try ContractTools.make("feed", in: patient)
    let head = try ContractTools.append([[1]], after: begin, to: patient)
    let log = try PostgresLog(primary.url(), options: options)
    let id = head.position.dataset
    standby.stop(SIGINT)
    let lonely = ContractTools.requests([[2]])
    #expect(isUnknown { _ = try log.append(lonely, to: id) })
    #expect(isUnknown { _ = try log.reserveLayoutIDs(1) })
    #expect(isUnknown { _ = try log.createDataset(named: "lonely", chain: [1], time: 0) })
    // The wait is cancelled: the entry is committed, but only on this server.
    let connection = try primary.connection()
    _ = try connection.read("SELECT pg_cancel_backend(pid) FROM (\(Self.waiters)) AS waiting") {
      try $0.bool(0)
    }
    func visibleHead() throws -> [Int] {
      try primary.connection().read("SELECT head FROM layoutcache.dataset WHERE name = 'feed'") {
        try $0.int(0)
      }
    }
    try waitUntil("the entry is to be seen") { try visibleHead() == [2] }
    #expect(isUnconfirmed { _ = try log.heads(of: [id]) })

    // The entry survives a crash, and after the restart looks as if it had been acknowledged.
    primary.stop(SIGQUIT)
    #expect(isUnconfirmed { _ = try log.heads(of: [id]) })
    try primary.start()
    #expect(try visibleHead() == [2])
    for _ in 0..<2 {
      #expect(isUnconfirmed { _ = try log.heads(of: [id]) })
      #expect(isUnconfirmed { _ = try ContractTools.all(of: id, in: log) })
      #expect(isUnconfirmed { _ = try log.dataset(named: "feed") })
      #expect(isUnconfirmed { _ = try log.datasets(after: nil, countMax: 1) })
      #expect(isUnconfirmed { _ = try log.checkpoints(of: id) })
      #expect(isUnconfirmed { _ = try log.chunk(0, of: 1) })
    }

    // The standby takes over; the deposed primary is still alive and is first in the URL.
    try standby.start(["-c", "primary_conninfo="])
    try standby.promote()
    let both = try PostgresLog(
      "postgresql://postgres@127.0.0.1:\(primary.port),127.0.0.1:\(standby.port)/postgres",
      options: options)
    var found: (SharedHead?, [SharedEntry])?
    try waitUntil("the new primary is found") {
      found = try? (both.dataset(named: "feed"), ContractTools.all(of: id, in: both))
      return found != nil
    }
    #expect(found?.0 == head)
    #expect(found?.1.map(\.request.payload) == [[1]])
    #expect(try both.dataset(named: "lonely") == nil)
    // The same request is appended now.
    _ = try ContractTools.append(lonely, after: head, to: both)
    #expect(try ContractTools.all(of: id, in: both).map(\.request.payload) == [[1], [2]])
  }

  private func isUnknown(_ body: () throws -> Void) -> Bool {
    do {
      try body()
    } catch SharedLogFailure.unknown {
      return true
    } catch {}
    return false
  }

  private func isUnconfirmed(_ body: () throws -> Void) -> Bool {
    do {
      try body()
    } catch SharedLogFailure.unavailable {
      return true
    } catch SharedLogFailure.busy {
      // An earlier poll, which waits for a standby, has locked the node's row.
      return true
    } catch {}
    return false
  }
}

/// The outcomes reported to clients.
private struct Journal {
  var committed: Set<[UInt8]> = []
  var refused: Set<[UInt8]> = []
  var unknown: Set<[UInt8]> = []
  var unknownAnswers = 0
  var failures: [String] = []

  mutating func note(_ outcome: Proposer.Outcome, _ unknownCount: Int, of name: [UInt8]) {
    unknownAnswers += unknownCount
    switch outcome {
    case .committed: committed.insert(name)
    case .rejected: refused.insert(name)
    case .unknown: unknown.insert(name)
    }
  }
}

/// Appends a request by the rules: after an unknown outcome it is appended again, by its name.
private struct Proposer {
  enum Outcome { case committed, rejected, unknown }

  let log: PostgresLog
  let dataset: Int64

  /// - Parameter givesUp: Whether a request that is certainly not in the log is not appended again.
  /// - Returns: The outcome, and the number of unknown ones before.
  func propose(_ name: [UInt8], givesUp: Bool, seconds: Double) throws -> (Outcome, Int) {
    let end = Date().addingTimeInterval(seconds)
    var unknownCount = 0
    let request = SharedRequest(.change, named: name, payload: Array(name.prefix(3)), time: 0)
    while Date() < end {
      do {
        if case .appended = try log.append([request], to: dataset) {
          return (.committed, unknownCount)
        }
      } catch SharedLogFailure.unknown {
        unknownCount += 1
      } catch let failure as SharedLogFailure {
        // Another client's append holds the row while it waits for the standby.
        switch failure {
        case .unavailable, .busy: break
        default: throw failure
        }
        if givesUp, unknownCount == 0 { return (.rejected, 0) }
        usleep(5_000)
      }
    }
    return (.unknown, unknownCount)
  }
}
