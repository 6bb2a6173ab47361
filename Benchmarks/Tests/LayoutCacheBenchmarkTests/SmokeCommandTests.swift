import Testing

@testable import BenchmarkCommands

struct SmokeCommandTests {
  @Test func missingOrExtraRowsAreAFailure() throws {
    let all = BenchOperation.allCases
    try SmokeCommand.require(all, in: all)
    #expect(throws: Failure.self) { try SmokeCommand.require(all, in: Array(all.dropLast())) }
    #expect(throws: Failure.self) { try SmokeCommand.require(all, in: all + [all[0]]) }
  }

  @Test(arguments: ["nowhere", "/bin/true", "/bin/false"])
  func aProgramThatImportsNothingIsAFailure(_ program: String) throws {
    let place = try Workplace()
    let run = try place.run(["smoke", program])
    #expect(run.exitCode == (program == "nowhere" ? 74 : 70))
    #expect(run.output.isEmpty)
    #expect(run.errorOutput.split(separator: "\n").count == 1)
  }

  @Test func keysAreOfTwelveBytesAndInTheirOrder() {
    let numbers = (0..<100) + [0xFFFF_FFFF_FFFF]
    for order in KeyOrder.allCases {
      let keys = numbers.map(order.key)
      #expect(Set(keys).count == keys.count)
      #expect(keys.allSatisfy { $0.utf8.count == 12 })
      #expect((keys == keys.sorted()) == (order == .ascending))
    }
  }
}
