import Synchronization
public import Testing

/// Adds the seed, the round and the step to every failure of a property test, and to the error
/// that ends it.
public struct PropertyTrait: TestTrait, TestScoping {
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    let position = PropertyPosition()
    let handling = IssueHandlingTrait.compactMapIssues { issue in
      guard let text = position.text else { return issue }
      var issue = issue
      issue.comments.append(Comment(rawValue: text))
      return issue
    }
    try await handling.provideScope(for: test, testCase: testCase) {
      try await PropertyPosition.$current.withValue(position) {
        do {
          try await function()
        } catch let error where !(error is ExpectationFailedError) && position.text != nil {
          // Swift Testing records an error that leaves the scope without calling the handler.
          Issue.record(error, sourceLocation: test.sourceLocation)
        }
      }
    }
  }
}

extension Trait where Self == PropertyTrait {
  /// The trait that the loops of ``PropertyRun`` need.
  public static var property: Self { PropertyTrait() }
}

/// The current position of a property test.
final class PropertyPosition: Sendable {
  @TaskLocal static var current: PropertyPosition?

  private struct Mark {
    var name: String
    var number: UInt64
  }

  private let marks = Mutex<[Mark]>([])

  /// The current test's position, at a seed; a nested loop of the same seed keeps the numbers
  /// that the outer one has entered.
  static func begin(_ seed: UInt64) -> PropertyPosition {
    guard let current else { preconditionFailure("a property test needs the trait .property") }
    current.marks.withLock { marks in
      if marks.first?.number != seed { marks = [Mark(name: "seed", number: seed)] }
    }
    return current
  }

  /// Replaces a number, and clears those of nested loops.
  func enter(_ name: String, _ number: Int) {
    marks.withLock { marks in
      let index = marks.firstIndex { $0.name == name } ?? marks.count
      marks[index...] = [Mark(name: name, number: UInt64(number))]
    }
  }

  /// Such as "seed 5, round 1, step 3"; nil before a loop has begun.
  var text: String? {
    marks.withLock { marks in
      marks.isEmpty
        ? nil : marks.map { "\($0.name) \($0.number)" }.joined(separator: ", ")
    }
  }
}
