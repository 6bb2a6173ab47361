import Foundation
import Testing

/// Scroll offsets of items on the command line.
@Suite struct AnchorCommandTests {
  @Test func itemPrintsItsScrollOffset() throws {
    let place = try Workplace()
    let items = (0..<10).map { "k\($0),1,1\n" }.joined()
    try place.write("key,width,height\n" + items, to: "feed.csv")
    try place.expect(0, "import", "feed.csv", "--dataset", "feed")
    try place.expect(
      0, "layout", "set", "phone", "--dataset", "feed", "--kind", "waterfall", "--width", "100",
      "--height", "300", "--columns", "1")
    func end(_ arguments: String...) throws -> String {
      let text = try place.run(
        ["item", "--dataset", "feed", "--layout", "phone"] + arguments
      ).outputAsIs
      return String(text[(text.range(of: "column")?.upperBound ?? text.startIndex)...])
    }
    #expect(try end("k5", "--json") == "\":0}\n")
    #expect(
      try end("k5", "--json", "--anchor", "40") == #"":0,"contentOffset":{"x":0,"y":460}}"# + "\n")
    #expect(
      try end("k5", "--json", "--anchor", "-20.5")
        == #"":0,"contentOffset":{"x":0,"y":520.5}}"# + "\n")
    #expect(
      try end("k9", "--json", "--anchor", "0")
        == #"":0,"contentOffset":{"x":0,"y":700},"exact":false}"# + "\n")
    #expect(try end("k5", "--anchor", "40").contains("content offset"))
    try place.expect(
      64, "item", "k5", "--dataset", "feed", "--layout", "phone", "--anchor", "1e300")
  }
}
