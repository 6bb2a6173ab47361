package import TestSupport

/// How likely each fault is, at each call of a node.
package struct FaultRates: Hashable, Sendable {
  /// Other nodes take a step or two while the call is on its way, or its answer.
  package var interleaving = 0.0
  /// The node stops for so long that others take dozens of steps.
  package var pause = 0.0
  /// The call does not arrive.
  package var lostCall = 0.0
  /// The call is carried out, and its answer does not arrive.
  package var lostAnswer = 0.0
  /// The caller of a write is told that the outcome is unknown; it is carried out later, or
  /// never.
  package var phantom = 0.0
  /// A write that waits like this is carried out now.
  package var phantomArrival = 0.0
  /// A write is carried out twice.
  package var duplicate = 0.0
  /// Of such a write: that the second answer arrives, and not the first: an append that the
  /// log has taken is then said to be behind.
  package var secondAnswer = 0.0
  /// A standby takes over, with what has been acknowledged and some of the rest.
  package var failOver = 0.0
  /// Of a leader that is deposed: that it lives on, with those who are connected to it.
  package var deposedLeaderLife = 0.0
  /// Of a node that connects again: that it finds a deposed leader that lives.
  package var deposedLeaderFinding = 0.0
  /// The node is cut off for some time.
  package var partition = 0.0
  /// The node dies, before or after what the call does.
  package var death = 0.0
  /// The version of the layout rules is raised.
  package var upgrade = 0.0
  /// A dataset's epoch is raised.
  package var epoch = 0.0
  /// The log is restored from an earlier state: acknowledged entries are lost, which nobody
  /// promises to survive; but nodes that answer at one position still answer alike.
  package var loss = 0.0

  package init() {}

  package static let none = FaultRates()

  /// All faults that nothing may be lost in.
  package static let all: FaultRates = {
    var rates = FaultRates()
    rates.interleaving = 0.3
    rates.pause = 0.01
    rates.lostCall = 0.02
    rates.lostAnswer = 0.03
    rates.phantom = 0.03
    rates.phantomArrival = 0.05
    rates.duplicate = 0.02
    rates.secondAnswer = 0.5
    rates.failOver = 0.02
    rates.deposedLeaderLife = 0.7
    rates.deposedLeaderFinding = 0.3
    rates.partition = 0.005
    rates.death = 0.01
    rates.upgrade = 0.002
    rates.epoch = 0.002
    return rates
  }()

  /// Some of the faults, each at one to five times the rate of ``all``: a fault is often found
  /// out by few others, which too many would end early.
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
