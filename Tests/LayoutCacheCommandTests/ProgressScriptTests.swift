import Foundation
import TestSupport
import Testing

/// `make test` prints a short summary, and failures in full.
@Suite struct ProgressScriptTests {
  private static func run(_ output: String, exitCode: Int) throws -> (Invocation, log: String) {
    let place = try Workplace()
    try place.write(output, to: "output")
    let script = ReadmeTests.root.appending(path: "Scripts/progress.py").path
    let run = try Invocation(
      of: URL(filePath: "/usr/bin/env"),
      ["python3", script, "log", "tests", "sh", "-c", "cat output; exit \(exitCode)"],
      in: place.folder.path)
    return (run, try place.read("log"))
  }

  private static let passing = """
    [1/2] Compiling A.swift
    ◇ Test run started.
    ◇ Test a() started.
    ◇ Test case passing 1 argument text → "one
    ✘ two" to b(text:) started.
    ◇ Test b(text:) started.
    ✔ Test a() passed after 0.1 seconds.
    ✔ Test b(text:) with 1 test case passed after 0.1 seconds.
    ✔ Test run with 2 tests in 1 suite passed after 0.1 seconds.

    """

  @Test func passingTestsAreCounted() throws {
    let (run, log) = try Self.run(Self.passing, exitCode: 0)
    #expect(run.exitCode == 0)
    #expect(
      run.output.replacing(/\d+ s/, with: "N s")
        == "▸ tests\n✔ tests (2 of 2 tests passed), N s, processor N s\n")
    #expect(log == Self.passing)
  }

  @Test func failuresAreShownInFullAndTheStatusIsKept() throws {
    let failure = """
      ✘ Test c() recorded an issue at C.swift:1:1: Expectation failed: a == b
      ↳ seed 7, "step 3"
          and what it printed
      ✘ Test c() failed after 0.1 seconds with 1 issue.

      """
    let (run, _) = try Self.run(
      Self.passing + "◇ Test c() started.\n◇ Test d() started.\n" + failure, exitCode: 3)
    #expect(run.exitCode == 3)
    #expect(run.output.contains(failure))
    #expect(run.output.contains("(2 of 4 tests passed, 1 failed), "))
    #expect(run.output.contains(" s: exit status 3\n"))
    #expect(run.output.contains("  failed: c()\n  did not finish: d()\n  full output: log\n"))
  }
}
