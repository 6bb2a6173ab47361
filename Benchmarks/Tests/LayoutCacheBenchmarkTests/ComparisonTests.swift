import Testing

@testable import BenchmarkCommands

struct ComparisonTests {
  /// A report with one row, of two baselines.
  private func results(
    _ row: String = "resizeRandom", median: Double, bare: Double
  ) throws -> FeedResults {
    try FeedResults(
      json: """
        {"edits":5,"sizes":[{"items":1000,"rows":[{"row":"\(row)","median":\(median),"p99":9,
        "mean":\(2 * median),"baselines":[
        {"baseline":"plainArrays","median":1,"mean":1},
        {"baseline":"bareCommit","median":\(bare),"mean":\(bare)}]}],
        "file":{"bytesPerItem":1,"layoutBytesPerItem":1,"editedBytesPerItem":1}}]}
        """, from: "a test")
  }

  /// The machine's speed changes from round to round, and both builds with it.
  @Test func ratiosAreOfBareCommitsInTheSameProcess() throws {
    var comparison = Comparison()
    for speed in [1.0, 2, 3, 4, 5] {
      comparison.add(
        other: try results(median: 40 * speed, bare: 10 * speed),
        this: try results(median: 41.2 * (6 - speed), bare: 10 * (6 - speed)))
    }
    let row = try #require(comparison.rows.first)
    #expect(row.baseline == .bareCommit && row.ratios.count == 5)
    #expect(row.ratios.allSatisfy { abs($0 - 1.03) < 1e-9 })
    #expect(row.verdict == "slower")
    #expect(comparison.text.contains("1.030"))
  }

  @Test func disagreeingQuartilesAreNotADifference() throws {
    var comparison = Comparison()
    for median in [38.0, 39, 41, 42] {
      comparison.add(
        other: try results(median: 40, bare: 10), this: try results(median: median, bare: 10))
    }
    let row = try #require(comparison.rows.first)
    #expect(row.verdict.isEmpty && abs(row.median - 1) < 1e-9)
    #expect(row.lowerQuartile < 1 && row.upperQuartile > 1)
  }

  @Test func rowsMissingInOneBuildAreOmitted() throws {
    var comparison = Comparison()
    comparison.add(
      other: try results("visibleRect", median: 1, bare: 1),
      this: try results("resizeMany", median: 1, bare: 1))
    #expect(comparison.rows.isEmpty)
    var means = Comparison()
    means.add(
      other: try results("resizeMany", median: 1, bare: 1),
      this: try results("resizeMany", median: 2, bare: 1))
    #expect(means.rows.first?.this == 4)
  }

  @Test func anUnknownCommitIsNamed() throws {
    let place = try Workplace()
    try place.expect(74, "compare", "no-such-commit", saying: ["no-such-commit"])
    #expect(try place.run(["compare", "HEAD", "--rounds", "0"]).exitCode == 64)
  }

  @Test func streamsOfRowsAreIndependent() {
    var (first, second) = (
      BenchRandom(seed: 42, stream: "resizeMany"), BenchRandom(seed: 42, stream: "resizeMany")
    )
    var other = BenchRandom(seed: 42, stream: "resizeManyCold")
    let numbers = (0..<100).map { _ in first.next() }
    #expect(numbers == (0..<100).map { _ in second.next() })
    #expect(Set(numbers).isDisjoint(with: (0..<100).map { _ in other.next() }))
  }
}
