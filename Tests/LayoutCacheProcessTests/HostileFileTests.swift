import Foundation
import SumTree
import TestSupport
import Testing

// Strategy: files of every kind of section, with deep trees and flat ones, with and without a
// log to follow, are damaged and their checksums recomputed: numbers of rows, bytes of nodes
// and logs, ids replaced by others, and whole trees in which each node agrees with its parent.
// Then every call of the library is made. A trap ends the process, so all this runs in a child,
// which records each step beforehand; the next child continues after it. `LAYOUTCACHE_STEPS` is
// the number of damaged files.
//
// Invariants: no call traps or runs forever; each returns, or throws an error that blames the file
// or the caller. If only results of layouts are damaged, queries and changes do not fail at all.

@Suite struct HostileFileTests {
  @Test func damagedFilesWithValidChecksumsDoNotTrap() async throws {
    let count = PropertyRun.steps(120)
    let seed = PropertyRun.seeds[PropertyRun.seeds.count - 1]
    let directory = try TemporaryDirectory()
    for (index, fixture) in HostileFixture.all.enumerated() {
      try fixture.make(at: directory.path(of: "\(index)"))
    }
    let (folder, log) = (directory.path, directory.path(of: "log"))
    var first = 0
    while first < count {
      await #expect(processExitsWith: .success, "seed \(seed), from \(first)") {
        [
          folder = folder as String, log = log as String, seed = seed as UInt64,
          first = first as Int, count = count as Int
        ] in
        try HostileRun(folder: folder, log: log, seed: seed).run(first..<count)
      }
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
      for line in lines where line.hasPrefix("failed") { Issue.record("seed \(seed), \(line)") }
      let last = lines.last { $0.hasPrefix("number") } ?? "none"
      guard let number = last.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
        Issue.record("the child has not begun")
        return
      }
      if lines.last == "done" { return }
      Issue.record("seed \(seed): the process has ended at \(lines.suffix(2))")
      first = number + 1
    }
  }
}

/// The work of a child process.
struct HostileRun {
  let folder: String
  let log: String
  let seed: UInt64

  /// The time limit for one file, in seconds.
  private static let secondsMax: UInt32 = 30

  func run(_ numbers: Range<Int>) throws {
    let descriptor = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0o600)
    precondition(descriptor >= 0, "\(log) can't be made")
    func note(_ line: String) {
      let line = Array((line.replacing("\n", with: " ") + "\n").utf8)
      precondition(write(descriptor, line, line.count) == line.count)
    }
    for number in numbers {
      alarm(Self.secondsMax)
      var generator = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
      let index = Int.random(in: HostileFixture.all.indices, using: &generator)
      let fixture = HostileFixture.all[index]
      note("number \(number) of \(fixture)")
      let path = try copy(of: index)
      var mutation = HostileMutation()
      var calls: [String] = []
      try InvariantChecks.$areOn.withValue(false) {
        try mutation.apply(to: path, of: fixture, using: &generator)
        note("  \(mutation)")
        var hostile = HostileCalls(fixture, path: path, isDerived: mutation.isDerived)
        hostile.run(using: &generator)
        calls = hostile.failures
      }
      guard let failure = calls.first else { continue }
      note("failed: \(number) of \(fixture), \(mutation): \(calls.count) calls, first \(failure)")
    }
    note("done")
  }

  private func copy(of index: Int) throws -> String {
    let path = "\(folder)/damaged"
    for end in ["", "-wal", "-shm", "-lock"] {
      let (source, target) = ("\(folder)/\(index)\(end)", "\(path)\(end)")
      if FileManager.default.fileExists(atPath: target) {
        try FileManager.default.removeItem(atPath: target)
      }
      if !["-shm", "-lock"].contains(end), FileManager.default.fileExists(atPath: source) {
        try FileManager.default.copyItem(atPath: source, toPath: target)
      }
    }
    return path
  }
}
