import Foundation
import Testing

struct CountsCommandTests {
  private struct Work: Decodable, Equatable {
    var nodes: Int?
    var bytes: Int?
  }

  private func work(_ operation: String, _ calls: Int) throws -> Work {
    let place = try Workplace()
    let run = try place.expect(0, "counts", operation, String(calls))
    #expect(try place.leftovers().isEmpty)
    return try JSONDecoder().decode(Work.self, from: Data(run.output.utf8))
  }

  @Test(arguments: ["rect", "item", "prepend40"])
  func theSameCallsDoTheSameWorkInEveryRun(_ operation: String) throws {
    let (none, some) = (try work(operation, 0), try work(operation, 5))
    #expect(try work(operation, 5) == some)
    #expect(none.nodes == 0)
    #expect((some.nodes ?? 0 > 0) == (operation != "item"))
    let (before, after) = (try #require(none.bytes), try #require(some.bytes))
    #expect((after > before) == (operation == "prepend40"))
  }

  @Test func operationsAreListedAndUnknownOnesRejected() throws {
    let place = try Workplace()
    let run = try place.expect(0, "counts")
    #expect(run.output.contains(#""operations":["rect","#))
    #expect(try place.run(["counts", "rotate"]).exitCode == 64)
    #expect(try place.run(["counts", "rect", "201"]).exitCode == 64)
  }
}
