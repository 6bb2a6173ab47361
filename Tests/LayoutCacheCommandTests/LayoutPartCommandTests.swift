import Foundation
import Testing

struct LayoutPartCommandTests {
  /// Section "one" with items that were placed while b was long, so all except b are in column
  /// 0: a 25 to 75, d 85 to 95, e 105 to 115; b, now 25 to 45, is in column 1.
  private static func withUnbalancedFeed() throws -> Workplace {
    let place = try Workplace.withPreparedFeed()
    let run = try place.run(
      ["update", "-", "--dataset", "feed"],
      input: """
        {"op":"insert","items":[{"key":"d","width":10,"height":1},{"key":"e","width":10,"height":1}],"section":"one"}
        {"op":"resize","key":"b","width":100,"height":20}
        """)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    #expect(try place.places() == ["a": "0 25", "b": "1 25", "d": "0 85", "e": "0 105"])
    return place
  }

  @Test(arguments: [
    ([], ["a": "0 25", "b": "1 25", "d": "1 55", "e": "1 75"]),
    (["--layout", "phone"], ["a": "0 25", "b": "1 25", "d": "1 55", "e": "1 75"]),
    (["--section", "one"], ["a": "0 25", "b": "1 25", "d": "1 55", "e": "1 75"]),
    (["--section", "two"], ["a": "0 25", "b": "1 25", "d": "0 85", "e": "0 105"]),
    (["--from", "d"], ["a": "0 25", "b": "1 25", "d": "1 55", "e": "1 75"]),
    (["--from", "e"], ["a": "0 25", "b": "1 25", "d": "0 85", "e": "1 55"]),
    (["--section", "one", "--from", "e"], ["a": "0 25", "b": "1 25", "d": "0 85", "e": "1 55"]),
  ])
  func rebalancePlacesItemsAgainFromAnItem(
    _ arguments: [String], _ places: [String: String]
  ) throws {
    let place = try Self.withUnbalancedFeed()
    let run = try place.run(["rebalance", "--dataset", "feed", "--json"] + arguments)
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    #expect(
      run.output.hasPrefix(
        #"{"dataset":"feed","revision":3,"updates":{"sections":[],"items":[]},"#
          + #""layouts":[{"layout":"phone","everything":false,"#),
      "\(run.output)")
    #expect(try place.places() == places)
    try place.expect(0, "verify")
  }

  @Test func allLayoutsAreRebalancedInOneCommit() throws {
    let place = try Self.withUnbalancedFeed()
    try place.expect(
      0, "layout", "set", "narrow", "--dataset", "feed", "--width", "100", "--columns", "1")
    try place.expect(0, "prepare", "--dataset", "feed")
    let run = try place.expect(0, "rebalance", "--dataset", "feed")
    let lines = run.output.split(separator: "\n")
    #expect(lines.first == "dataset 'feed' is at revision 3")
    #expect(lines.dropFirst(2).map { $0.prefix { $0 != " " } } == ["narrow", "phone"])
  }

  @Test func invalidatedPartsAreRecomputedUnchanged() throws {
    let place = try Workplace.withPreparedFeed()
    let query = ["query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,220,1000"]
    func elements() throws -> String {
      try place.run(query).output.split(separator: "\n").dropLast().joined(separator: "\n")
    }
    let before = try elements()
    var revision = 1
    for (arguments, phrase) in [
      ([], #""everything":true,"#), (["--layout", "phone"], #""everything":true,"#),
      (["--section", "two"], #""sections":[{"section":1,"#),
      (["--item", "a"], #""sections":[{"section":0,"items":[[0,"#),
      (["--from", "c"], #""sections":[{"section":1,"items":[[0,0]]"#),
      (["--section", "one", "--item", "c"], #""sections":[{"section":0,"#),
    ] {
      let run = try place.run(["invalidate", "--dataset", "feed", "--json"] + arguments)
      revision += 1
      #expect(
        run.output.contains(#""revision":\#(revision),"updates":{"sections":[],"items":[]},"#))
      #expect(run.output.contains(phrase), "\(arguments): \(run.output)\(run.errorOutput)")
      #expect(try elements() == before)
    }
    try place.expect(0, "verify")
  }

  @Test(arguments: ["rebalance", "invalidate"])
  func unknownPartsAreNotFoundAndNothingChanges(command: String) throws {
    let place = try Workplace.withPreparedFeed()
    try place.expect(66, command, "--dataset", "none", saying: ["dataset 'none'"])
    try place.expect(
      66, command, "--dataset", "feed", "--layout", "none", saying: ["no layout 'none'", "'feed'"])
    try place.expect(
      66, command, "--dataset", "feed", "--section", "none", saying: ["section 'none'", "'feed'"])
    try place.expect(
      66, command, "--dataset", "feed", "--from", "none", saying: ["no item 'none'", "'feed'"])
    let datasets = try place.expect(0, "datasets", "--json")
    #expect(datasets.output.contains(#""revision":1"#))
  }

  @Test func itemOfAnotherSectionIsBadInput() throws {
    let place = try Workplace.withPreparedFeed()
    try place.expect(
      65, "rebalance", "--dataset", "feed", "--section", "two", "--from", "a",
      saying: ["'a'", "'two'", "'feed'"])
  }

  @Test(arguments: ["rebalance", "invalidate"])
  func datasetWithoutLayoutsIsUnchanged(command: String) throws {
    let place = try Workplace.withFeed()
    try place.expect(0, "layout", "remove", "phone", "--dataset", "feed")
    let machines = try place.expect(0, command, "--dataset", "feed", "--json")
    #expect(
      machines.output
        == #"{"dataset":"feed","revision":1,"updates":{"sections":[],"items":[]},"layouts":[]}"#
        + "\n")
    let people = try place.expect(0, command, "--dataset", "feed")
    #expect(people.output.hasPrefix("dataset 'feed' is at revision 1\n"))
  }
}

extension Workplace {
  /// Returns the column and the y coordinate of each cell of the feed's first section.
  fileprivate func places() throws -> [String: String] {
    var places: [String: String] = [:]
    for key in ["a", "b", "d", "e"] {
      let run = try run(["item", key, "--dataset", "feed", "--layout", "phone", "--json"])
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      let members = try #require(object as? [String: Any])
      let frame = try #require(members["frame"] as? [String: Double])
      let column = try #require(members["column"] as? Int)
      places[key] = "\(column) \(Int(try #require(frame["y"])))"
    }
    return places
  }
}
