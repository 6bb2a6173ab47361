import ClusterSimulation
import Testing

// Strategy: a history that meets all rules is changed in one place, in every way that breaks one of
// them, and that rule must be named.

@Suite struct HistoryCheckerTests {
  private static let operations = """
    {"session":"a","begin":10,"end":20,"dataset":"7","write":"w1","outcome":"committed",\
    "sequence":1,"revision":2}
    {"session":"b","begin":30,"end":40,"dataset":"7","write":"w2","outcome":"committed",\
    "sequence":3,"revision":3}
    {"session":"b","begin":50,"dataset":"7","write":"w3","outcome":"unknown"}
    {"session":"c","begin":10,"end":20,"dataset":"7","write":"w4","outcome":"refused"}
    {"session":"a","begin":60,"end":70,"dataset":"7","read":"phone","sequence":3,"revision":3,\
    "chain":"c3","digest":"d3","age":5}
    {"session":"c","begin":60,"end":70,"dataset":"7","read":"phone","sequence":3,"revision":3,\
    "digest":"d3"}
    {"session":"c","begin":80,"end":90,"dataset":"7","read":"phone","sequence":4,"revision":4,\
    "chain":"c4","digest":"d4"}
    """

  private static let log = """
    {"dataset":"7","sequence":0,"revision":1,"chain":"c0"}
    {"dataset":"7","sequence":1,"revision":2,"chain":"c1","write":"w1"}
    {"dataset":"7","sequence":2,"revision":2,"chain":"c2"}
    {"dataset":"7","sequence":3,"revision":3,"chain":"c3","write":"w2"}
    {"dataset":"7","sequence":4,"revision":4,"chain":"c4","write":"w3"}
    """

  private static func rules(operations: String, log: String) throws -> [HistoryRule] {
    try History(operations: operations, log: log).violations(answers: "").map(\.rule)
  }

  @Test func aCorrectHistoryIsAccepted() throws {
    #expect(try Self.rules(operations: Self.operations, log: Self.log) == [])
  }

  /// Further lines of the log and of the operations, by the rule that each breaks.
  private static let furtherEntries: [(HistoryRule, String)] = [
    (.denseLog, #"{"dataset":"7","sequence":6,"revision":4,"chain":"c6"}"#),
    (.denseLog, #"{"dataset":"7","sequence":5,"revision":6,"chain":"c5"}"#),
    (.denseLog, #"{"dataset":"8","sequence":1,"revision":1,"chain":"c1"}"#),
    (.committedOnce, #"{"dataset":"7","sequence":5,"revision":5,"chain":"c5","write":"w2"}"#),
    (.unknownAtMostOnce, #"{"dataset":"7","sequence":5,"revision":5,"chain":"c5","write":"w3"}"#),
    (.refusedNever, #"{"dataset":"7","sequence":5,"revision":5,"chain":"c5","write":"w4"}"#),
    (.askedFor, #"{"dataset":"7","sequence":5,"revision":5,"chain":"c5","write":"w5"}"#),
  ]

  @Test(arguments: furtherEntries)
  func aWrongEntryIsNamedByItsRule(rule: HistoryRule, entry: String) throws {
    let found = try Self.rules(operations: Self.operations, log: Self.log + "\n" + entry)
    #expect(Set(found) == [rule])
  }

  private static let furtherOperations: [(HistoryRule, String)] = [
    (.committedOnce, #""write":"w5","outcome":"committed","sequence":4,"revision":4"#),
    (.realTime, #""read":"phone","sequence":3,"revision":3,"digest":"d3""#),
    // The state that another session has seen before the age of a read.
    (.age, #""read":"phone","sequence":4,"revision":4,"digest":"d4""#),
  ]

  @Test(arguments: furtherOperations)
  func aWrongOperationIsNamedByItsRule(rule: HistoryRule, action: String) throws {
    let time = rule == .age ? #""begin":51,"end":54"# : #""begin":1,"end":5"#
    let operation = #"{"session":"d",\#(time),"dataset":"7",\#(action)}"#
    let found = try Self.rules(operations: Self.operations + "\n" + operation, log: Self.log)
    #expect(Set(found) == [rule])
  }

  /// A text of the operations, what replaces it, and the rule that this breaks.
  private static let changes: [(HistoryRule, String, String)] = [
    (.committedOnce, #""sequence":1,"revision":2}"#, #""sequence":2,"revision":2}"#),
    (.committedOnce, #""sequence":1,"revision":2}"#, #""sequence":1,"revision":3}"#),
    (.realTime, #""begin":30,"end":40"#, #""begin":1,"end":5"#),
    (.position, #""sequence":4,"revision":4"#, #""sequence":5,"revision":4"#),
    (.position, #""sequence":4,"revision":4"#, #""sequence":4,"revision":5"#),
    (.position, #""chain":"c4""#, #""chain":"c5""#),
    (.answer, #""chain":"c3","digest":"d3""#, #""chain":"c3","digest":"d4""#),
    (
      .session, #""sequence":4,"revision":4,"chain":"c4","digest":"d4""#,
      #""sequence":1,"revision":2,"digest":"d1""#
    ),
    (
      .session, #""sequence":3,"revision":3,"chain":"c3","digest":"d3","age":5"#,
      #""sequence":0,"revision":1,"digest":"d0""#
    ),
    (
      .age, #""sequence":3,"revision":3,"chain":"c3","digest":"d3","age":5"#,
      #""sequence":1,"revision":2,"digest":"d1","age":5"#
    ),
  ]

  @Test(arguments: changes)
  func aChangedOperationIsNamedByItsRule(rule: HistoryRule, old: String, new: String) throws {
    let operations = Self.operations.replacing(old, with: new)
    try #require(operations != Self.operations)
    #expect(Set(try Self.rules(operations: operations, log: Self.log)) == [rule])
  }

  @Test func everyRuleIsBroken() {
    let rules = Self.furtherEntries.map(\.0) + Self.furtherOperations.map(\.0)
    #expect(Set(rules + Self.changes.map(\.0)) == Set(HistoryRule.allCases))
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
        ClientOperation(session: "a", begin: 30, end: 31, dataset: "7", action: .read(reading)),
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
}
