package import TestSupport

/// The probability of each fault, per call of a node.
package struct FaultRates: Hashable, Sendable {
  /// Other nodes take a step or two while the call or its answer is on its way.
  package var interleaving = 0.0
  /// The node pauses long enough for others to take dozens of steps.
  package var pause = 0.0
  /// The call does not arrive.
  package var lostCall = 0.0
  /// The call is executed, but its answer does not arrive.
  package var lostAnswer = 0.0
  /// The caller of a write is told that the outcome is unknown; the write is applied later or
  /// never.
  package var phantom = 0.0
  /// Such a waiting write is applied now.
  package var phantomArrival = 0.0
  /// A write is executed twice.
  package var duplicate = 0.0
  /// A standby takes over, with all acknowledged changes and some of the others.
  package var failOver = 0.0
  /// Given a deposed leader: it stays alive, with its connections.
  package var deposedLeaderLife = 0.0
  /// Given a reconnecting node: it reaches a deposed leader that is alive.
  package var deposedLeaderFinding = 0.0
  /// The node is cut off for some time.
  package var partition = 0.0
  /// The node dies, before or after the effect of the call.
  package var death = 0.0
  /// The version of the layout rules is raised.
  package var upgrade = 0.0
  /// A dataset's epoch is raised.
  package var epoch = 0.0
  /// The log is restored from an earlier state, which loses acknowledged entries. Durability is
  /// not guaranteed then, but nodes at the same position still return the same answers.
  package var loss = 0.0

  package init() {}

  package static let none = FaultRates()

  /// All faults under which nothing acknowledged may be lost.
  package static let all: FaultRates = {
    var rates = FaultRates()
    rates.interleaving = 0.3
    rates.pause = 0.01
    rates.lostCall = 0.02
    rates.lostAnswer = 0.03
    rates.phantom = 0.03
    rates.phantomArrival = 0.05
    rates.duplicate = 0.02
    rates.failOver = 0.02
    rates.deposedLeaderLife = 0.7
    rates.deposedLeaderFinding = 0.3
    rates.partition = 0.005
    rates.death = 0.01
    rates.upgrade = 0.002
    rates.epoch = 0.002
    return rates
  }()

  /// Returns some of the faults, and losses of acknowledged entries.
  package static func disasters(seed: UInt64) -> FaultRates {
    var generator = SeededGenerator(seed: ~seed)
    var rates = some(using: &generator)
    rates.loss = 0.01
    return rates
  }

  /// Returns some of the faults, each at one to five times the rate of ``all``. The effect of a
  /// fault often shows only in combination with few others; too many end it early.
  package static func some(using generator: inout SeededGenerator) -> FaultRates {
    var rates = all
    let faults: [WritableKeyPath<FaultRates, Double>] = [
      \.pause, \.lostCall, \.lostAnswer, \.phantom, \.duplicate, \.failOver, \.partition,
      \.death, \.upgrade, \.epoch,
    ]
    for fault in faults {
      rates[keyPath: fault] *=
        generator.oneIn(2) ? 0 : Double.random(in: 1...5, using: &generator)
    }
    rates.interleaving = Double.random(in: 0...0.6, using: &generator)
    return rates
  }
}
