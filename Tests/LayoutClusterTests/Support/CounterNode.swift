import ClusterSimulation
import ClusterTestSupport
import LayoutCache
import LayoutCluster
import LayoutReplication
import TestSupport

/// A node whose datasets are only a number, which each batch changes. It is the smallest node
/// that follows a log by the rules, and it can break one of them on purpose, to test the
/// simulation.
final class CounterNode: SimulatedNode {
  /// A rule that the node breaks.
  enum Mistake: CaseIterable {
    case believesReadsWithoutABarrier
    case takesUnknownForRefused
    case takesUnknownForCommitted
    case doesNotCheckTheChain
    case retriesWithANewProposal
    case measuresAgeFromTheAnswer
    case answersBehindTheClientsPosition
  }

  /// The contents of the node's file for a dataset.
  struct Copy {
    var counter: Counter
    var epoch: Int
    /// The proposals of applied entries, with their positions.
    var proposals: [[UInt8]: (sequence: Int, revision: Int)] = [:]
    var proposalsAfter: Int
  }

  struct Parted: Error {}

  let log: SimulatedLogHandle
  let clients: SimulatedClients
  let mistake: Mistake?
  var copies: [String: Copy] = [:]
  /// The time of the poll that each copy reflects; lost when the process ends.
  var polled: [String: Int64] = [:]

  init(log: SimulatedLogHandle, clients: SimulatedClients, mistake: Mistake?) {
    self.log = log
    self.clients = clients
    self.mistake = mistake
  }

  static func program(_ mistake: Mistake?) -> SimulatedProgram {
    SimulatedProgram(
      weights: [.propose: 8, .query: 8, .poll: 4, .checkpoint: 1, .evict: 1, .restart: 1],
      makeNode: { CounterNode(log: $0, clients: $1, mistake: mistake) },
      write: { String(decoding: $0.payload, as: UTF8.self) },
      replay: { dataset, sequence, _ in
        var counter = Counter(
          begin: SharedPosition(dataset: dataset.id, sequence: 0, chain: dataset.begin))
        for entry in dataset.entries.prefix(sequence) { counter.apply(entry) }
        return counter.digest
      })
  }

  func restart() { polled = [:] }

  func follow(_ datasets: [String]) throws {
    for name in datasets {
      // Retries once if the copy belongs to a history that was lost.
      do { try follow(name) } catch is Parted { try follow(name) }
    }
  }

  func answer(of dataset: String) throws -> ClientOperation.Reading {
    reading(copies[dataset]!.counter, age: nil)
  }

  func carryOut(
    _ step: SimulatedStep, on dataset: String, using generator: inout SeededGenerator
  ) throws {
    do {
      switch step {
      case .propose: try propose(to: dataset, using: &generator)
      case .query: try query(dataset, using: &generator)
      case .poll: try follow(dataset)
      case .checkpoint: try publishCheckpoint(of: dataset)
      case .evict: forget(dataset)
      case .prepare, .setLayout, .importItems, .damage, .restart, .create, .remove, .rename,
        .upkeep:
        break
      }
    } catch is Parted {
      // The next step begins with an empty copy.
    }
  }

  // MARK: Clients

  private func query(_ name: String, using generator: inout SeededGenerator) throws {
    let session = clients.session(using: &generator)
    if copies[name] == nil || polled[name] == nil { try follow(name) }
    let dataset = copies[name]!.counter.position.dataset
    try clients.read(dataset, session: session) {
      let least = clients.leastSequence(of: session, in: dataset)
      if mistake != .answersBehindTheClientsPosition,
        copies[name]!.counter.position.sequence < least
      {
        try follow(name)
      }
      guard let copy = copies[name], let polled = polled[name],
        mistake == .answersBehindTheClientsPosition
          || copy.counter.position.sequence >= least
      else {
        return nil
      }
      return reading(copy.counter, age: log.now - polled)
    }
  }

  private func reading(_ counter: Counter, age: Int64?) -> ClientOperation.Reading {
    ClientOperation.Reading(
      question: "value", sequence: counter.position.sequence, revision: counter.revision,
      chain: hexadecimal(counter.position.chain), digest: counter.digest, age: age)
  }

  private func propose(to name: String, using generator: inout SeededGenerator) throws {
    if copies[name] == nil { try follow(name) }
    var proposal = generator.bytes(16)
    let renewed = generator.bytes(16)
    try clients.write(
      to: copies[name]!.counter.position.dataset, session: clients.session(using: &generator)
    ) { write in
      // The position at which it may have been appended; unknown until another entry is there.
      var open: SharedPosition?
      for _ in 0..<5 {
        guard try triesToFollow(name), let copy = copies[name] else { continue }
        if let (sequence, revision) = copy.proposals[proposal] {
          return .committed(sequence: sequence, revision: revision)
        }
        if let place = open, place != copy.counter.position {
          guard copy.proposalsAfter <= place.sequence else { return .unknown }
          open = nil
        }
        if mistake == .retriesWithANewProposal, open != nil { proposal = renewed }
        let entry = copy.counter.entry(proposal: proposal, payload: Array(write.utf8))
        do {
          let answer = try log.append([entry], after: copy.counter.position, epoch: copy.epoch)
          if answer == .appended {
            accept([entry], of: name)
            return .committed(sequence: entry.sequence, revision: entry.revision)
          }
          // Read without a barrier, so not trusted before the barrier of the next round.
          open = copy.counter.position
        } catch SharedLogFailure.unknown {
          switch mistake {
          case .takesUnknownForRefused: return .refused
          case .takesUnknownForCommitted:
            return .committed(sequence: entry.sequence, revision: entry.revision)
          default: open = copy.counter.position
          }
        } catch is SharedLogFailure {
          // The call had no effect.
        }
      }
      return open == nil ? .refused : .unknown
    }
  }
}
