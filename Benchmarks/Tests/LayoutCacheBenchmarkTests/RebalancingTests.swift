import Testing

@testable import LayoutCacheBenchmark

struct RebalancingTests {
  /// The goals of the rule: few items per edit, and limits of the skew at the end and before it.
  @Test(arguments: [UInt64(1), 2, 3])
  func placesAreEvenForFewItems(seed: UInt64) {
    let edits = 30_000
    var outcomes: [RebalancingRule: RebalancingSimulation.Outcome] = [:]
    for rule in RebalancingRule.allCases {
      var simulation = RebalancingSimulation(itemCount: 20_000, rule: rule, seed: seed)
      outcomes[rule] = simulation.run(edits: edits)
    }
    let limit = Double(RebalancingSimulation.limit)
    guard let places = outcomes[.places], let throughout = outcomes[.throughout] else { return }
    #expect(places.commits > 100)
    #expect(places.placed <= edits && places.placedMax <= 1024)
    #expect(Double(places.endMax) <= limit)
    #expect(places.middleMean <= 1.5 * limit && Double(places.middleMax) <= 3 * limit)
    #expect(throughout.placed > 20 * places.placed)
  }

  @Test func theCommandPrintsEveryRule() throws {
    let place = try Workplace()
    let run = try place.expect(0, "rebalancing", "2000", "--edits", "1000")
    for rule in RebalancingRule.allCases { #expect(run.output.contains(rule.text)) }
    #expect(try place.run(["rebalancing", "0"]).exitCode == 64)
  }
}
