import ClusterSimulation
import Foundation

// Checks the histories of a cluster's clients, in files:
//
//     swift run CheckHistory OPERATIONS LOG [ANSWERS]
//
// The files are NDJSON of `ClientOperation`, of `LoggedEntry`, and of `ReplayedAnswer`, with which
// reads are compared. Prints the violations of rules and their numbers. The exit code is 1 if there
// are any, 65 for an invalid line, and 66 for a file that cannot be read.

func fail(_ reason: String, code: Int32) -> Never {
  FileHandle.standardError.write(Data("CheckHistory: \(reason)\n".utf8))
  exit(code)
}

let paths = CommandLine.arguments.dropFirst()
guard (2...3).contains(paths.count) else {
  fail("the files of operations, of the log and, if wanted, of answers are needed", code: 64)
}

var texts: [String] = []
for path in paths {
  guard let data = FileManager.default.contents(atPath: path) else {
    fail("\(path) cannot be read", code: 66)
  }
  texts.append(String(decoding: data, as: UTF8.self))
}

let history: History
let violations: [HistoryViolation]
do {
  history = try History(operations: texts[0], log: texts[1])
  violations = try history.violations(answers: texts.count > 2 ? texts[2] : "")
} catch {
  fail("\(error)", code: 65)
}

let shownCount = 20
for violation in violations.prefix(shownCount) { print(violation) }
if violations.count > shownCount { print("and \(violations.count - shownCount) more") }
let counts = Dictionary(grouping: violations, by: \.rule.rawValue)
  .sorted { $0.key < $1.key }.map { ", \($0.key) \($0.value.count)" }.joined()
print(
  "\(history.operations.count) calls, \(history.log.count) entries, "
    + "\(violations.count) violations\(counts)")
exit(violations.isEmpty ? 0 : 1)
