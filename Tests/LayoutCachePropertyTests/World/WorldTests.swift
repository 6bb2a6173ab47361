import Foundation
import TestSupport
import Testing

// Strategy: a world is made from a seed: a database with two caches on its file, some datasets and
// layouts of any kind and configuration, and a model of them. Each step performs an action of a
// table, and then asks some observers of another table. Each step has a separate generator,
// so that leaving out other steps leaves it much the same.
//
// Invariants: every answer is the one that the model gives. The model lays everything out from
// scratch in arrays, and shares only the configurations' text with the engine.
//
// `LAYOUTCACHE_SEED=N` runs only the world of that seed, `LAYOUTCACHE_WORLDS` is the number of
// worlds, and `LAYOUTCACHE_STEPS` that of their steps.

@Suite struct WorldTests {
  /// The number of worlds of `make test`.
  static let gateCount: UInt64 = 80

  /// The seeds from `first` on, as one case of the test.
  struct Seeds: CustomTestStringConvertible, Sendable {
    var seeds: ClosedRange<UInt64>

    var testDescription: String { "seeds \(seeds.lowerBound) to \(seeds.upperBound)" }

    static let all: [Seeds] = {
      if let seed = number("LAYOUTCACHE_SEED") { return [Seeds(seeds: seed...seed)] }
      let count = number("LAYOUTCACHE_WORLDS") ?? (PropertyRun.isThorough ? 300 : gateCount)
      return stride(from: 1, through: count, by: 80).map {
        Seeds(seeds: $0...min($0 + 79, count))
      }
    }()

    static func number(_ name: String) -> UInt64? {
      guard let text = ProcessInfo.processInfo.environment[name] else { return nil }
      guard let number = UInt64(text), number > 0 else {
        preconditionFailure("\(name) is no positive number: \(text)")
      }
      return number
    }
  }

  @Test(arguments: Seeds.all)
  func everyAnswerIsTheModels(part: Seeds) async throws {
    var (counts, ofForty) = ([String: Int](), [String: Int]())
    for seed in part.seeds {
      let steps = Array(0..<PropertyRun.steps(24))
      let run = await WorldRun.run(seed: seed, steps: steps)
      counts.merge(run.counts, uniquingKeysWith: +)
      ofForty.merge(run.counts, uniquingKeysWith: +)
      // An observer that never compares anything would find nothing.
      if seed % 40 == 0, part.seeds.count >= 40 {
        for name in World.necessaryCounts { #expect(ofForty[name] != nil, "\(name)") }
        ofForty = [:]
      }
      guard let failure = run.failure else { continue }
      let needed = await Shrinking.shrink(Array(steps.prefix(failure.step + 1))) {
        await WorldRun.run(seed: seed, steps: $0).failure != nil
      }
      let last = await WorldRun.run(seed: seed, steps: needed)
      Issue.record(
        """
        LAYOUTCACHE_SEED=\(seed), step \(failure.step): \(failure.text)
        Steps that fail alone: \(needed)
        \(last.failure?.text ?? "they no longer fail")
        \(last.history)
        """)
      // One failure is enough to begin with: the steps of each are searched for long.
      return
    }
    guard part.seeds == 1...Self.gateCount else { return }
    for name in World.rareCounts { #expect(counts[name] != nil, "\(name)") }
  }
}

struct WorldRun {
  struct Failure {
    var step: Int
    var text: String
  }

  var failure: Failure?
  var counts: [String: Int] = [:]
  var history = ""

  /// Runs steps of a seed's world until one fails.
  static func run(seed: UInt64, steps: [Int]) async -> WorldRun {
    var run = WorldRun()
    let issues = Issues()
    guard let test = Test.current else { preconditionFailure("a world runs in a test") }
    await issues.collecting(test) {
      let world: World
      do {
        world = try await World(seed: seed)
      } catch {
        run.failure = Failure(step: -1, text: "\(error)")
        return
      }
      for step in steps {
        TrapReport.note("LAYOUTCACHE_SEED=\(seed) traps in step \(step)\n")
        do {
          try await world.step(step)
        } catch {
          issues.add("\(error)")
        }
        if let text = issues.first {
          run.failure = Failure(step: step, text: text)
          break
        }
      }
      await world.endProcess()
      (run.counts, run.history) = (world.counts, world.description)
    }
    return run
  }
}

/// Names the seed of a run that ends the process by a trap.
private enum TrapReport {
  private static let capacity = 100
  // Also read by the handler of signals. Concurrent worlds mix their lines: run them one by one.
  nonisolated(unsafe) private static let text: UnsafeMutablePointer<CChar> = {
    let text = UnsafeMutablePointer<CChar>.allocate(capacity: capacity)
    text.initialize(repeating: 0, count: capacity)
    var action = sigaction()
    #if canImport(Glibc)
      action.__sigaction_handler.sa_handler = handler
    #else
      action.__sigaction_u.__sa_handler = handler
    #endif
    sigaction(SIGILL, &action, &previous)
    return text
  }()
  /// The handler that prints the backtrace; written once, before any trap.
  nonisolated(unsafe) private static var previous = sigaction()

  /// Only calls that are allowed in a handler. The instruction traps again, with the previous one.
  private static let handler: @convention(c) (Int32) -> Void = { signal in
    _ = write(2, text, strlen(text))
    sigaction(signal, &previous, nil)
  }

  static func note(_ line: String) { strncpy(text, line, capacity - 1) }
}

/// Collects the issues that a run records, in place of recording them.
private final class Issues: @unchecked Sendable {
  private let lock = NSLock()
  private var texts: [String] = []

  var first: String? { lock.withLock { texts.first } }

  func add(_ text: String) { lock.withLock { texts.append(text) } }

  func collecting(_ test: Test, _ body: () async -> Void) async {
    let handling = IssueHandlingTrait.compactMapIssues { issue in
      let place = issue.sourceLocation.map { "\($0.fileName):\($0.line): " } ?? ""
      self.add("\(place)\(issue)")
      return nil
    }
    await withoutActuallyEscaping(body) { body in
      nonisolated(unsafe) let body = body
      do {
        try await handling.provideScope(for: test, testCase: Test.Case.current) { await body() }
      } catch {
        add("\(error)")
      }
    }
  }
}
