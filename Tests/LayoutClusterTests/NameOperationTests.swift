import Testing

@testable import ClusterSimulation

// Strategy: a few changes of names and accesses, with one of them wrong.

@Suite struct NameOperationTests {
  private static let rename = NameChange.Kind.renamed("d", to: "e")

  private static func operation(
    _ kind: NameChange.Kind, _ outcome: NameOperation.Outcome, node: Int = 0
  ) -> NameOperation {
    NameOperation(kind: kind, node: node, begin: 10, end: 20, outcome: outcome)
  }

  private static func change(_ kind: NameChange.Kind, node: Int = 0, at time: Int64) -> NameChange {
    NameChange(kind: kind, dataset: 1, call: SimulatedCall(node: node, time: time))
  }

  private static func isWrong(_ operation: NameOperation, _ changes: NameChange...) -> Bool {
    !NameOperation.violations(of: [operation], in: changes).isEmpty
  }

  @Test func anAcknowledgedChangeIsInTheLog() {
    for kind in [Self.rename, .removed("d"), .created("d")] {
      let done = Self.operation(kind, .done)
      #expect(!Self.isWrong(done, Self.change(kind, at: 15)))
      #expect(Self.isWrong(done))
      #expect(Self.isWrong(done, Self.change(.renamed("d", to: "f"), at: 15)))
      for time: Int64 in [9, 21] { #expect(Self.isWrong(done, Self.change(kind, at: time))) }
    }
  }

  /// Two clients may remove a dataset, but only one has created or renamed it.
  @Test func onlyARemovalMayBeAnothersNodes() {
    for (kind, isWrong) in [
      (Self.rename, true), (.created("d"), true), (NameChange.Kind.removed("d"), false),
    ] {
      #expect(
        Self.isWrong(Self.operation(kind, .done), Self.change(kind, node: 1, at: 15)) == isWrong)
    }
  }

  @Test func aChangeIsMadeOnce() {
    let change = Self.change(Self.rename, at: 15)
    for outcome in [NameOperation.Outcome.done, .unknown] {
      #expect(Self.isWrong(Self.operation(Self.rename, outcome), change, change))
    }
  }

  @Test func aRejectedChangeIsNotInTheLog() {
    let refused = Self.operation(Self.rename, .refused)
    #expect(Self.isWrong(refused, Self.change(Self.rename, at: 15)))
    #expect(!Self.isWrong(refused, Self.change(Self.rename, node: 1, at: 15)))
    #expect(!Self.isWrong(Self.operation(Self.rename, .unknown), Self.change(Self.rename, at: 15)))
  }

  @Test func aDatasetIsNotReachedByANameThatItHasLost() {
    func isWrong(
      _ name: String, at time: Int64, _ outcome: NameOperation.Outcome = .done,
      _ changes: NameChange...
    ) -> Bool {
      !NameOperation.violations(
        by: [NamedAccess(name: name, dataset: 1, time: time)],
        after: [Self.operation(Self.rename, outcome)], changes
      ).isEmpty
    }
    let lost = Self.change(Self.rename, at: 15)
    #expect(isWrong("d", at: 21, .done, lost))
    #expect(!isWrong("d", at: 20, .done, lost))
    #expect(!isWrong("e", at: 21, .done, lost))
    #expect(!isWrong("d", at: 21, .unknown, lost))
    #expect(!isWrong("d", at: 21, .done, lost, Self.change(.renamed("e", to: "d"), at: 16)))
    // The loss of another change is not acknowledged.
    #expect(!isWrong("d", at: 31, .done, Self.change(Self.rename, at: 25)))
  }
}
