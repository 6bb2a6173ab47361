import Foundation
import Testing

/// Item data on the command line.
@Suite struct ItemDataCommandTests {
  private static let csv = """
    key,width,height,title,artist
    a,1,1,Ophelia,Millais
    b,1,1,"A ""Sea"" & <Sky>",
    c,1,1,,

    """

  private static func withFeed() throws -> Workplace {
    let place = try Workplace()
    try place.write(csv, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "feed", "--data", "title,artist")
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--width", "200",
      "--columns", "2")
    return place
  }

  @Test func queryPrintsDataOnlyOnRequest() throws {
    let place = try Self.withFeed()
    let query = [
      "query", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,200,200", "--json",
    ]
    let without = try place.run(query).outputAsIs
    #expect(!without.contains("\"data\""))
    let with = try place.run(query + ["--data"]).outputAsIs
    #expect(with.contains(#""column":0,"data":"#) == false)
    #expect(
      with.contains(
        #""frame":{"x":0,"y":0,"width":100,"height":100},"data":{"title":"Ophelia","artist":"Millais"}}"#
      ))
    #expect(with.contains(#""data":{"title":"A \"Sea\" & <Sky>"}}"#))
    #expect(with.components(separatedBy: "\"data\"").count == 3)
    let table = try place.run(query.filter { $0 != "--json" } + ["--data"]).outputAsIs
    #expect(table.contains(#"{"title":"Ophelia","artist":"Millais"}"#))
  }

  @Test func batchChangesDataAndItemPrintsThem() throws {
    let place = try Self.withFeed()
    try place.write(
      """
      {"op":"data","key":"a","data":{"title" : "Ophelia", "n":1.50 }}
      {"op":"data","key":"b","data":null}
      {"op":"insert","items":[{"key":"d","width":1,"height":1,"data":{"new":[1, 2]}}],"after":"c"}

      """, to: "batch.ndjson")
    try place.expect(0, "update", "batch.ndjson", "--dataset", "feed")
    func item(_ key: String) throws -> String {
      try place.run(["item", key, "--dataset", "feed", "--layout", "phone", "--json"]).outputAsIs
    }
    #expect(try item("a").hasSuffix(#""column":0,"data":{"title":"Ophelia","n":1.50}}"# + "\n"))
    #expect(try !item("b").contains("data"))
    #expect(try item("d").hasSuffix(#""data":{"new":[1,2]}}"# + "\n"))
    let shown = try place.run(["item", "a", "--dataset", "feed", "--layout", "phone"]).outputAsIs
    #expect(shown.contains(#"data            {"title":"Ophelia","n":1.50}"#))
    try place.write(#"{"op":"data","key":"a","data":[]}"# + "\n", to: "bad.ndjson")
    try place.expect(
      65, "update", "bad.ndjson", "--dataset", "feed",
      saying: ["line 1", "data is not an object", "nothing was changed"])
    try place.write(#"{"op":"data","key":"no","data":{}}"# + "\n", to: "bad.ndjson")
    try place.expect(66, "update", "bad.ndjson", "--dataset", "feed", saying: ["line 1", "'no'"])
  }

  @Test func exportsWithDataCanBeImportedAgain() throws {
    let place = try Self.withFeed()
    func export(_ arguments: String...) throws -> String {
      try place.run(["export", "--dataset", "feed"] + arguments).outputAsIs
    }
    #expect(
      try export() == "key,width,height,section,span\na,1,1,main,1\nb,1,1,main,1\nc,1,1,main,1\n")
    let csv = try export("--data")
    #expect(csv.hasPrefix("key,width,height,section,span,data\n"))
    #expect(csv.contains(#"a,1,1,main,1,"{""title"":""Ophelia"",""artist"":""Millais""}""#))
    #expect(csv.hasSuffix("c,1,1,main,1,\n"))
    let lines = try export("--format", "ndjson")
    #expect(lines.contains(#""span":1,"data":{"title":"Ophelia","artist":"Millais"}}"#))
    for (name, text) in [("again.csv", csv), ("again.ndjson", lines)] {
      try place.write(text, to: name)
      try place.expect(0, "import", name, "--dataset", "feed", "--replace")
      #expect(try export("--format", "ndjson") == lines)
    }
    let inspection = try place.run(["inspect", "--dataset", "feed", "--json"]).outputAsIs
    #expect(inspection.contains(#"{"tree":"data","elements":2,"depth":1}"#))
  }

  @Test func invalidDataNamesAreRejected() throws {
    let place = try Workplace()
    try place.write(Self.csv, to: "feed.csv")
    for names in ["", "title,", "title,title"] {
      try place.expect(64, "import", "feed.csv", "--dataset", "d", "--data", names)
    }
    try place.expect(
      65, "import", "feed.csv", "--dataset", "d", "--data", "title,year",
      saying: ["line 1", "'year'", "--data"])
    try place.write("key,width,height,data\na,1,1,today\n", to: "bad.csv")
    try place.expect(
      65, "import", "bad.csv", "--dataset", "d", saying: ["line 2", "data is not a JSON object"])
  }

  @Test func picturesShowItemTitles() throws {
    let place = try Self.withFeed()
    try place.expect(
      0, "render", "--dataset", "feed", "--layout", "phone", "--rect", "0,0,200,200", "-o", "p.svg")
    let picture = try place.read("p.svg")
    #expect(picture.contains(">Ophelia</tspan>"))
    #expect(picture.contains("A &quot;Sea&quot; &amp;"))
    // An item without a title is labeled with its key.
    #expect(picture.contains(">c</tspan>"))
  }
}
