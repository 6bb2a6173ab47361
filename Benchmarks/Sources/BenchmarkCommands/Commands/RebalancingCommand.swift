import ArgumentParser

struct RebalancingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebalancing",
    abstract: "Simulate rules that even out columns by placing items again",
    discussion: """
      Five columns of items with heights of 100 to 499, a maximum skew of 2,000, and edits, one \
      commit after the other, in plain arrays. Skews are in units of the limit, 2,499. "end" is \
      the maximum skew at the section's end during the run; "middle" are the mean and maximum \
      over all items after the last edit; "peak" are their maxima over 200 samples of the run.
      """)

  @Argument(help: "The number of items")
  var items = 100_000

  @Option(help: "The number of commits")
  var edits = 100_000

  @Option(help: "The seed of the random numbers")
  var seed: UInt64 = 1

  func validate() throws {
    guard (1_000...10_000_000).contains(items), (1...10_000_000).contains(edits) else {
      throw ValidationError(
        "use 1000 to 10000000 items and 1 to 10000000 edits, not \(items) and \(edits)")
    }
  }

  func run() throws {
    func skew(_ points: Double) -> String {
      twoDigits(points / Double(RebalancingSimulation.limit))
    }
    var table = Table([
      .text("edits"), .text("rule"), .number("placed per edit"), .number("commits"),
      .number("most"), .number("end"), .number("middle, mean"), .number("maximum"),
      .number("peak mean"), .number("peak maximum"),
    ])
    for scenario in RebalancingScenario.allCases {
      for rule in RebalancingRule.allCases {
        var simulation = RebalancingSimulation(itemCount: items, rule: rule, seed: seed)
        let outcome = simulation.run(scenario, commits: edits)
        table.add([
          scenario.text, rule.text, twoDigits(Double(outcome.placed) / Double(edits)),
          String(outcome.commits), String(outcome.placedMax), skew(Double(outcome.endMax)),
          skew(outcome.middleMean), skew(Double(outcome.middleMax)), skew(outcome.middleMeanPeak),
          skew(Double(outcome.middleMaxPeak)),
        ])
      }
    }
    try StandardOutput.write(
      TextStyle.heading("\(plural(items, "item")), \(plural(edits, "commit"))") + "\n"
        + table.lines)
  }
}
