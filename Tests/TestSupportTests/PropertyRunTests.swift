import Foundation
import Synchronization
import Testing

@testable import TestSupport

// The tests fail on purpose here: their issues are intercepted before they are reported.

@Suite(.enabled(if: PropertyRun.steps(0) == 0, "LAYOUTCACHE_STEPS is set")) struct PropertyRunTests
{
  private struct Failure: Error {}

  /// The comments of the issues that a property test would report.
  private func issues(
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws -> [[String]] {
    let test = try #require(Test.current)
    let found = Mutex<[[String]]>([])
    let capture = IssueHandlingTrait.compactMapIssues { issue in
      found.withLock { $0.append(issue.comments.map(\.rawValue)) }
      return nil
    }
    try await capture.provideScope(for: test, testCase: Test.Case.current) {
      try await PropertyTrait().provideScope(
        for: test, testCase: Test.Case.current, performing: body)
    }
    return found.withLock { $0 }
  }

  @Test func aFailedExpectationPrintsSeedAndStep() async throws {
    let found = try await issues {
      for step in PropertyRun.each(7, steps: 5) { #expect(step != 3, "its own words") }
    }
    #expect(found == [["its own words", "seed 7, step 3"]])
  }

  @Test func anErrorPrintsSeedRoundAndStep() async throws {
    let found = try await issues {
      for round in PropertyRun.each(7, rounds: 3) {
        for step in PropertyRun.each(7, steps: 4) where (round, step) == (2, 1) { throw Failure() }
      }
    }
    #expect(found == [["seed 7, round 2, step 1"]])
  }

  @Test func aFailedRequirementIsReportedOnce() async throws {
    let found = try await issues {
      for step in PropertyRun.each(7, steps: 4) { try #require(step < 2) }
    }
    #expect(found == [["seed 7, step 2"]])
  }

  @Test func aNewRoundClearsTheStep() async throws {
    let found = try await issues {
      for _ in PropertyRun.each(9, rounds: 2) {
        Issue.record("begin")
        for _ in PropertyRun.each(9, steps: 2) {}
        Issue.record("end")
      }
    }
    #expect(
      found == [
        ["begin", "seed 9, round 0"], ["end", "seed 9, round 0, step 1"],
        ["begin", "seed 9, round 1"], ["end", "seed 9, round 1, step 1"],
      ])
  }

  @Test func everySeedIsRunAndPrinted() async throws {
    let found = try await issues {
      for _ in PropertyRun.eachSeed(in: PropertyRun.seeds) { Issue.record("too large") }
    }
    #expect(!found.isEmpty)
    #expect(found == PropertyRun.seeds.map { ["too large", "seed \($0)"] })
  }

  @Test func asynchronousTestsPrintTheStepToo() async throws {
    let found = try await issues {
      for step in PropertyRun.each(4, steps: 3) {
        await Task.yield()
        #expect(step == 0)
      }
    }
    #expect(found == [["seed 4, step 1"], ["seed 4, step 2"]])
  }

  @Test func aTestWithoutTheTraitEndsItsProcess() async {
    await #expect(processExitsWith: .failure) { for _ in PropertyRun.each(1, steps: 1) {} }
  }

  @Test func nonNumericStepsEndTheProcess() async {
    await #expect(processExitsWith: .failure) {
      setenv("LAYOUTCACHE_STEPS", "many", 1)
      _ = PropertyRun.steps(1)
    }
  }
}
