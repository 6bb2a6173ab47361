import TestSupport
import Testing

@Suite struct ShrinkerTests {
  @Test(arguments: [[37], [0], [99], [3, 80], [0, 50, 99], []])
  func leavesExactlyTheElementsToBlame(culprits: [Int]) {
    let shrunk = Shrinker.shrink(Array(0..<100)) { list in culprits.allSatisfy(list.contains) }
    #expect(shrunk == culprits)
  }

  @Test func findsOneOfAHundredThousandInFewCalls() {
    var calls = 0
    let shrunk = Shrinker.shrink(Array(0..<100_000)) { list in
      calls += 1
      return list.contains(77_777)
    }
    #expect(shrunk == [77_777])
    #expect(calls < 60)
  }

  @Test func errorsOfThePredicatePassThrough() {
    struct Stop: Error {}
    #expect(throws: Stop.self) { try Shrinker.shrink([1]) { _ in throw Stop() } }
  }
}
