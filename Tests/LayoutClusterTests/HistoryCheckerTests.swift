import ClusterSimulation
import TestSupport
import Testing

// Strategy: random histories of a correct log are accepted. Each is then corrupted in one
// place, in every way that breaks a rule, and that rule must be named.

@Suite struct HistoryCheckerTests {
  private static func rules(_ made: RandomHistory) -> Set<HistoryRule> {
    let violations = HistoryChecker.violations(of: made.history) { made.digest($0, $1, $2) }
    return Set(violations.map(\.rule))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func linearizableHistoryIsAccepted(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, steps: 10) {
      let made = RandomHistory(using: &generator)
      let violations = HistoryChecker.violations(of: made.history) { made.digest($0, $1, $2) }
      #expect(violations == [])
    }
  }

  @Test(.property, arguments: RandomHistory.Fault.allCases)
  func brokenRuleIsNamed(fault: RandomHistory.Fault) {
    var spoiltCount = 0
    for seed in PropertyRun.eachSeed() {
      var generator = SeededGenerator(seed: seed)
      for _ in PropertyRun.each(seed, steps: 6) {
        var made = RandomHistory(using: &generator)
        guard made.spoil(fault, using: &generator) else { continue }
        spoiltCount += 1
        #expect(Self.rules(made) == [fault.rule])
      }
    }
    #expect(spoiltCount > 10)
  }

  @Test func everyRuleCanBeBroken() {
    #expect(Set(RandomHistory.Fault.allCases.map(\.rule)) == Set(HistoryRule.allCases))
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func historyRoundTripsThroughItsFiles(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let history = RandomHistory(using: &generator).history
    let files = try history.ndjson()
    #expect(try History(operations: files.operations, log: files.log + "\n") == history)
  }

  @Test func linesMatchTheirDocumentation() throws {
    let operations = """
      {"begin":10,"dataset":"7","end":20,"outcome":"committed","revision":2,"sequence":3,\
      "session":"a","write":"w1"}
      {"age":120,"begin":30,"chain":"0a1b","dataset":"7","digest":"9f","end":31,"read":"phone",\
      "revision":2,"sequence":3,"session":"a"}
      {"begin":10,"dataset":"7","outcome":"unknown","session":"a","write":"w2"}

      """
    let log = """
      {"chain":"0a1b","dataset":"7","revision":2,"sequence":3,"write":"w1"}

      """
    let history = try History(operations: operations, log: log)
    let reading = ClientOperation.Reading(
      question: "phone", sequence: 3, revision: 2, chain: "0a1b", digest: "9f", age: 120)
    #expect(
      history.operations == [
        ClientOperation(
          session: "a", begin: 10, end: 20, dataset: "7",
          action: .write("w1", .committed(sequence: 3, revision: 2))),
        ClientOperation(
          session: "a", begin: 30, end: 31, dataset: "7", action: .read(reading)),
        ClientOperation(
          session: "a", begin: 10, end: nil, dataset: "7", action: .write("w2", .unknown)),
      ])
    let files = try history.ndjson()
    #expect(files.operations == operations)
    #expect(files.log == log)
  }

  @Test func readsAreCheckedAgainstGivenAnswers() throws {
    let operations = """
      {"begin":1,"dataset":"7","digest":"9f","end":2,"read":"phone","revision":1,"sequence":0,\
      "session":"a"}
      """
    let log = #"{"chain":"00","dataset":"7","revision":1,"sequence":0}"#
    let history = try History(operations: operations, log: log)
    func rules(_ answers: String) throws -> [HistoryRule] {
      try history.violations(answers: answers).map(\.rule)
    }
    let answer = #"{"dataset":"7","digest":"9f","question":"phone","sequence":0}"#
    #expect(try rules("") == [])
    #expect(try rules(answer) == [])
    #expect(try rules(answer.replacing("9f", with: "9e")) == [.answer])
    #expect(try rules(answer.replacing("phone", with: "tablet").replacing("9f", with: "9e")) == [])
  }

  @Test func unreadableLineIsNamedByItsNumber() {
    let error = #expect(throws: History.UnreadableLine.self) {
      try History(operations: "\n{\"session\":\"a\"}\n", log: "")
    }
    #expect(error?.file == "operations" && error?.line == 2)
  }

  @Test func answersWithoutAReplayAreComparedWithEachOther() {
    var generator = SeededGenerator(seed: 1)
    var made = RandomHistory(using: &generator)
    while !made.spoil(.anotherAnswerAtAPositionThatIsReadTwice, using: &generator) {
      made = RandomHistory(using: &generator)
    }
    let violations = HistoryChecker.violations(of: made.history) { _, _, _ in nil }
    #expect(violations.contains { $0.rule == .answer && $0.operations.count == 2 })
  }
}
