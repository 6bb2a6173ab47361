import Foundation
import Testing

struct QueryCommandTests {
  private static let place = ["--dataset", "feed", "--layout", "phone"]

  @Test func answerHasTheFramesCountedByHand() throws {
    let place = try Workplace.withFeed()
    let answer = try place.run(["query"] + Self.place + ["--rect", "0,0,220,1000", "--json"])
    // Two columns of 100 at 5 and 115. Section one: header 20, inset 5, the longer
    // of 50 and 200, inset 5. Section two: c spans 210 points, so 52.5 long.
    #expect(
      answer.output
        == #"{"dataset":"feed","layout":"phone","revision":1,"contentSize":{"width":220,"height":312.5},"#
        + #""elements":["#
        + #"{"category":"decoration","kind":"card","section":0,"sectionKey":"one","frame":{"x":0,"y":20,"width":220,"height":210},"zIndex":-1},"#
        + #"{"category":"supplementary","kind":"header","section":0,"sectionKey":"one","frame":{"x":0,"y":0,"width":220,"height":20}},"#
        + #"{"category":"cell","key":"a","section":0,"sectionKey":"one","item":0,"frame":{"x":5,"y":25,"width":100,"height":50}},"#
        + #"{"category":"cell","key":"b","section":0,"sectionKey":"one","item":1,"frame":{"x":115,"y":25,"width":100,"height":200}},"#
        + #"{"category":"decoration","kind":"card","section":1,"sectionKey":"two","frame":{"x":0,"y":250,"width":220,"height":62.5},"zIndex":-1},"#
        + #"{"category":"supplementary","kind":"header","section":1,"sectionKey":"two","frame":{"x":0,"y":230,"width":220,"height":20}},"#
        + #"{"category":"cell","key":"c","section":1,"sectionKey":"two","item":0,"frame":{"x":5,"y":255,"width":210,"height":52.5}}"#
        + #"]}"# + "\n")
  }

  @Test func queryPagesAddUpToTheWholeAnswer() throws {
    let place = try Workplace.withFeed()
    func page(_ arguments: [String]) throws -> (elements: [NSDictionary], next: String?) {
      let run = try place.run(
        ["query"] + Self.place + ["--rect", "0,0,220,1000", "--json"] + arguments)
      let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
      let members = try #require(object as? [String: Any])
      return (
        try #require(members["elements"] as? [NSDictionary]), members["next"] as? String
      )
    }
    let whole = try page([])
    #expect(whole.next == nil)
    var elements: [NSDictionary] = []
    var token: String?
    repeat {
      let next = try page(["--limit", "2"] + (token.map { ["--after", $0] } ?? []))
      #expect(next.elements.count <= 2)
      elements += next.elements
      token = next.next
    } while token != nil && elements.count < 100
    #expect(elements == whole.elements)
  }

  /// Returns the keys of an answer's cells, and its continuation.
  private func cells(_ run: Invocation) throws -> (keys: [String], next: String?) {
    #expect(run.exitCode == 0, "\(run.errorOutput)")
    let members = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
    let elements = try #require(members["elements"] as? [[String: Any]])
    return (elements.map { $0["key"] as? String ?? "" }, members["next"] as? String)
  }

  @Test func consecutiveItemsArePrintedByKeyAndByIndex() throws {
    let place = try Workplace.withFeed()
    func query(_ arguments: String...) throws -> (keys: [String], next: String?) {
      try cells(try place.run(["query", "--json"] + Self.place + arguments))
    }
    #expect(try query("--from", "a").keys == ["a", "b", "c"])
    #expect(try query("--from", "0.1", "--count", "2") == (["b", "c"], nil))
    #expect(try query("--from", "c", "--backward").keys == ["c", "b", "a"])
    let first = try query("--from", "a", "--count", "2")
    #expect(first.keys == ["a", "b"])
    // The token is given alone, and together with its layout.
    let token = try #require(first.next)
    #expect(try cells(try place.run(["query", "--json", "--after", token])) == (["c"], nil))
    #expect(try query("--after", token, "--count", "1") == (["c"], nil))
    try place.write(
      #"{"op":"insert","items":[{"key":"0.1","width":1,"height":1}],"after":"b"}"#, to: "b")
    try place.expect(0, "update", "b", "--dataset", "feed")
    #expect(try query("--from", "0.1", "--count", "1").keys == ["0.1"])
    #expect(try query("--after", token).keys == ["0.1", "c"])
    #expect(
      try place.run(["query", "--from", "a", "--count", "1"] + Self.place).output
        .contains("there are more: --after "))
  }

  @Test func invalidOrExpiredTokenIsRejected() throws {
    let place = try Workplace.withFeed()
    let run = try place.run(["query", "--json", "--from", "a", "--count", "1"] + Self.place)
    let token = try #require(try cells(run).next)
    let rect = try place.run(
      ["query", "--json", "--rect", "0,0,220,1000", "--limit", "1"] + Self.place)
    let ofRect = try #require(try cells(rect).next)
    try place.expect(
      0, "layout", "set", "wide", "--dataset", "feed", "--kind", "grid", "--columns", "3",
      "--width", "300")
    for arguments in [
      ["--after", "3.2.117"], ["--after", String(token.dropLast())], ["--after", ""],
      ["--after", token, "--dataset", "feed", "--layout", "wide"],
      ["--after", token, "--backward"],
      ["--after", token, "--rect", "0,0,220,1000"], ["--after", ofRect, "--rect", "0,0,220,999"],
      ["--after", token, "--from", "a"], ["--after", token, "--limit", "1", "--count", "1"],
      ["--from", "a", "--rect", "0,0,1,1"] + Self.place, ["--count", "1"] + Self.place,
      ["--from", "a", "--count", "0"] + Self.place, ["--from", "a"],
    ] {
      let run = try place.run(["query"] + arguments)
      #expect(run.exitCode == 64 && run.output.isEmpty, "\(arguments): \(run.errorOutput)")
    }
    try place.expect(
      66, "query", "--dataset", "feed", "--layout", "phone", "--from", "missing",
      saying: ["missing"])
    try place.expect(0, "dataset", "remove", "feed")
    try place.expect(66, "query", "--after", token, saying: ["feed"])
    try place.expect(0, "import", "feed.csv", "--dataset", "feed")
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--kind", "grid", "--columns", "3",
      "--width", "300")
    try place.expect(66, "query", "--after", token, saying: ["continuation", "begin"])
  }

  /// Answers printed in several pieces are complete.
  @Test func longAnswerIsPrintedWhole() throws {
    let place = try Workplace()
    let rows = (0..<3000).map { "k\($0),2,1" }
    try place.write("key,width,height\n" + rows.joined(separator: "\n") + "\n", to: "long.csv")
    try place.expect(0, "import", "long.csv", "--dataset", "feed")
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--columns", "3",
      "--width", "300")
    let whole = ["query", "--rect", "0,0,300,1000000"] + Self.place
    #expect(
      try cells(try place.run(whole + ["--json", "--explain"])).keys == (0..<3000).map { "k\($0)" })
    let cut = try cells(try place.run(whole + ["--json", "--limit", "2500"]))
    #expect(cut.keys.count == 2500 && cut.next != nil)
    let table = try place.run(whole).output
    #expect(table.contains("3000 elements at revision 1"))
    #expect(table.split(separator: "\n").filter { $0.contains(#/  k[0-9]/#) }.count == 3000)
  }

  @Test(arguments: [["--rect", "-10,-5,20,100"], ["--rect=-10,-5,20,100"]])
  func rectangleMayStartBelowZero(_ rect: [String]) throws {
    let place = try Workplace.withFeed()
    let answer = try place.run(["query"] + Self.place + rect)
    #expect(answer.exitCode == 0)
    #expect(answer.output.contains("3 elements at revision 1"))
  }

  @Test func itemAndPointNameTheColumn() throws {
    let place = try Workplace.withFeed()
    let cell =
      #"{"category":"cell","key":"b","section":0,"sectionKey":"one","item":1,"frame":{"x":115,"y":25,"width":100,"height":200},"column":1}"#
      + "\n"
    let item = try place.run(["item", "b", "--json"] + Self.place)
    #expect(item.output == cell)
    let hit = try place.run(["hit-test", "115,25", "--json"] + Self.place)
    #expect(hit.output == cell)
    let miss = try place.run(["at", "-1,25", "--json"] + Self.place)
    #expect(miss.output == "null\n")
    #expect(miss.exitCode == 0)
  }

  @Test func hitTestFindsVisibleElements() throws {
    let place = try Workplace.withFeed()
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--width", "220", "--columns", "2",
      "--column-spacing", "10", "--inset", "5", "--header", "20", "--pins-header",
      "--effect", "coverStack")
    func element(_ point: String, _ more: String...) throws -> String {
      try place.run(["hit-test", point, "--json"] + more + Self.place).output
    }
    let pinned = #""frame":{"x":0,"y":30,"width":220,"height":20},"zIndex":2147483647}"#
    let header = try element("115,49.999", "--visible", "-10,30,240,100")
    #expect(header.contains(pinned), "\(header)")
    let own = try element("115,19", "--visible", "0,0.01,220,100")
    #expect(own.contains(#""kind":"header""#) && own.contains(#""y":0,"#), "\(own)")
    // Cell b, 25 to 225, is pinned at 55, slightly scaled down.
    let second = try element("150,228", "--visible=0,55,220,100")
    #expect(second.contains(#""key":"b""#) && second.contains(#""zIndex":1"#), "\(second)")
    #expect(try element("150,224").contains(#""key":"b""#))
    try place.expect(
      64, "hit-test", "1,2", "--visible", "0,0,1", "--dataset", "feed", "--layout", "phone",
      saying: ["--visible"])
  }

  @Test func eachEdgeOfARectangleIsRoundedDown() throws {
    let place = try Workplace.withFeed()
    func count(_ rect: String) throws -> Int {
      let run = try place.run(["query", "--rect", rect, "--json"] + Self.place)
      return run.output.components(separatedBy: #""category""#).count - 1
    }
    // 0 to 0.99 units contains no unit; 0.64 to 1.28 units contains the first one.
    #expect(try count("0,0,0.0155,1") == 0)
    #expect(try count("0.01,0,0.01,1") == 1)
    // Item a starts at 5: a rectangle that ends within that unit does not reach it.
    #expect(try count("0,25,5.01,1") == 1)
    #expect(try count("0,25,5.02,1") == 2)
    #expect(try count("-0.001,25,0.0009,1") == 0)
    #expect(try count("-0.001,25,0.001,1") == 0)
    #expect(try count("-0.001,25,0.02,1") == 1)
  }

  @Test func explainCountsNodes() throws {
    let place = try Workplace.withFeed()
    let answer = try place.run(
      ["query"] + Self.place + ["--rect", "0,0,1,1", "--json", "--explain"])
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8))
    let explain = try #require((object as? [String: Any])?["explain"] as? [String: Int])
    #expect(
      explain.keys.sorted() == ["cacheHits", "microseconds", "nodesRead", "nodesVisited"])
    #expect(explain["nodesVisited"] == (explain["nodesRead"] ?? 0) + (explain["cacheHits"] ?? 0))
  }

  @Test(arguments: ["0,0,1", "0,0,-1,1", "0,0,nan,1", "0,0,inf,1", "a,0,1,1", "0,0,1e300,1"])
  func improperRectangleIsAUsageError(_ rect: String) throws {
    let place = try Workplace()
    try place.expect(
      64, "query", "--dataset", "feed", "--layout", "phone", "--rect", rect, saying: ["--rect"])
  }
}
