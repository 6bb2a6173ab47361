import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import LayoutStore
import Synchronization
import TestSupport
import Testing

/// Another process with a cache on a world's file, and its own locks and index of the log. It
/// makes the calls that it receives as lines, and ends by SIGKILL.
final class OtherProcess {
  enum Call: Codable, Sendable {
    case checkpoint
    /// Closes the cache, and ends.
    case close
    case read(dataset: String, layout: String)
    /// The operations, each with the name of a layout.
    case commit(dataset: String, [OracleOperation], layouts: [String], endsAtCall: Int?)
  }

  struct Answer: Codable, Sendable {
    var revision = 0
    /// The layouts that a commit lists, and whether each was laid out from scratch.
    var layouts: [String: Bool] = [:]
    var text = ""
    var error: String?
  }

  private struct Request: Codable {
    var call: Call
    /// Milliseconds of the clock.
    var now: Int64
  }

  private static let patience = Duration.seconds(120)

  /// The process has ended before it has answered.
  struct Ended: Error {}

  private let folder: TemporaryDirectory
  private let pipes: [FileHandle]
  private let end: Task<Void, Never>
  private let hasEnded: Flag
  private var id: pid_t = 0

  private final class Flag: Sendable { let isSet = Atomic(false) }

  /// The arguments of a process.
  struct Start: Codable, Sendable {
    var seed: UInt64
    var path: String
    /// The number of the world's processes before.
    var number: Int
    var now: Int64
    /// The folder of the pipes.
    var folder = ""
  }

  init(_ start: Start) async throws {
    let (folder, hasEnded) = (try TemporaryDirectory(), Flag())
    (self.folder, self.hasEnded) = (folder, hasEnded)
    pipes = ["requests", "answers"].map { name in
      mkfifo(folder.path(of: name), 0o600)
      // For both directions, so that opening it waits for no other process.
      let descriptor = Foundation.open(folder.path(of: name), O_RDWR | O_CLOEXEC)
      return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }
    var start = start
    start.folder = folder.path
    end = Task { [start] in
      await serveElsewhere(start)
      hasEnded.isSet.store(true, ordering: .sequentiallyConsistent)
    }
    id = pid_t(try await answer().revision)
  }

  /// Makes a call there.
  ///
  /// - Throws: ``Ended``; ``World/Difference`` with the call's error.
  @discardableResult
  func call(_ call: Call, _ now: Int64) async throws -> Answer {
    try pipes[0].write(contentsOf: JSONEncoder().encode(Request(call: call, now: now)) + [10])
    let answer = try await answer()
    if let error = answer.error { throw World.Difference(description: "another process: \(error)") }
    return answer
  }

  private func answer() async throws -> Answer {
    var line = Data()
    let begin = ContinuousClock.now
    while line.last != 10 {
      // One that cannot start, or waits for something, would be waited for without an end.
      guard begin.duration(to: .now) < Self.patience else {
        throw World.Difference(description: "another process has not answered in time")
      }
      var state = pollfd(fd: pipes[1].fileDescriptor, events: Int16(POLLIN), revents: 0)
      if poll(&state, 1, 20) > 0 {
        // `availableData` waits for more after a full block.
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(pipes[1].fileDescriptor, &bytes, bytes.count)
        line += bytes.prefix(max(0, count))
      } else if hasEnded.isSet.load(ordering: .sequentiallyConsistent) {
        throw Ended()
      } else {
        // The task that starts the process may need this thread.
        try await Task.sleep(for: .milliseconds(1))
      }
    }
    return try JSONDecoder().decode(Answer.self, from: line)
  }

  /// Kills it between two calls.
  func kill() async {
    Foundation.kill(id, SIGKILL)
    await end.value
  }

  // MARK: - The process itself

  fileprivate static func serve(_ start: Start) throws {
    var generator = SeededGenerator(seed: start.seed)
    let options = WorldSettings(using: &generator).options
    let (clock, disk) = (TestClock(milliseconds: start.now), FailingDisk())
    let cache = try LayoutCache(
      path: start.path, options: options, sectionLayouts: TestKinds.all, clock: clock.clock,
      random: .seeded(~start.seed &+ UInt64(start.number)))
    let answers = try #require(FileHandle(forWritingAtPath: "\(start.folder)/answers"))
    dup2(Foundation.open("\(start.folder)/requests", O_RDONLY), STDIN_FILENO)
    var (answer, now) = (Answer(revision: Int(getpid())), start.now)
    repeat {
      try answers.write(contentsOf: JSONEncoder().encode(answer) + [10])
      guard let line = readLine() else { break }
      let request = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
      clock.advance(by: request.now - now)
      now = request.now
      do {
        answer = try make(request.call, by: cache, disk)
      } catch {
        answer = Answer(error: "\(error)")
      }
    } while true
    Foundation.kill(getpid(), SIGKILL)
  }

  private static func make(
    _ call: Call, by cache: LayoutCache, _ disk: FailingDisk
  ) throws -> Answer {
    switch call {
    case .close:
      try cache.close()
      Foundation.kill(getpid(), SIGKILL)
    case .checkpoint: try cache.checkpoint()
    case .read(let dataset, let layout):
      return try cache.read(LayoutID(layout, of: dataset), Answer.init)
    case .commit(let dataset, let operations, let layouts, let number):
      let batch = try zip(operations, layouts).map { try BatchOperation($0, layout: $1) }
      disk.kill(atCall: number ?? .max)
      defer { disk.kill(atCall: .max) }
      let commit = try cache.update(dataset, with: batch)
      let listed = commit.layouts.map { ($0.layout, $0.context.reason == .relaid) }
      return Answer(revision: commit.revision, layouts: Dictionary(uniqueKeysWithValues: listed))
    }
    return Answer()
  }
}

extension OtherProcess.Answer {
  fileprivate init(_ snapshot: LayoutSnapshot) throws {
    let elements = try OracleElement.all(of: snapshot)
    text = "\(snapshot.incarnation) \(snapshot.revision) \(elements)"
  }
}

// Not in the class: the body may not capture its dynamic type.
private func serveElsewhere(_ start: OtherProcess.Start) async {
  await #expect(processExitsWith: .signal(SIGKILL)) { [start = start as OtherProcess.Start] in
    try OtherProcess.serve(start)
  }
}

// Calls by another process, and its answers.
extension World {
  private func other() async throws -> OtherProcess {
    if let process { return process }
    let number = counts["processes", default: 0]
    count("processes")
    let other = try await OtherProcess(.init(seed: seed, path: path, number: number, now: now))
    process = other
    return other
  }

  /// Another process commits; sometimes it is killed at one of its calls of the disk.
  func commitElsewhere() async throws {
    let (other, number, before) = (try await other(), anyDataset(), datasets)
    let model = before[number].model
    let batch = datasets[number].batches.next(for: model, using: &generator)
    let operations = try datasets[number].apply(batch, isPlain: true, using: &generator)
    noteWalks(batch, on: model, of: number)
    let last = generator.oneIn(6) ? Int.random(in: 1...8, using: &generator) : nil
    record("another process commits to \(model.name), \(last ?? 0): \(operations)")
    do {
      let answer = try await other.call(
        .commit(
          dataset: model.name, batch.map(\.operation),
          layouts: batch.map { model.layouts[$0.layout].name }, endsAtCall: last), now)
      #expect(answer.revision == datasets[number].model.revision)
      for (layout, description) in datasets[number].model.layouts.enumerated() {
        guard let isRelaid = answer.layouts[description.name] else { continue }
        let isOther = before[number].notes[layout].text != description.text
        if isRelaid && isOther || !description.feed.hasResult {
          try datasets[number].prepare(layout)
        }
      }
    } catch is OtherProcess.Ended {
      // Nothing was acknowledged.
      process = nil
      count("killed in a commit")
      let found = try seen(by: caches[anyCache()])
      let (old, new) = (try Self.seen(in: before), try Self.seen(in: datasets))
      guard found == old || found == new else {
        throw Difference(description: "killed, and found \(found), neither \(old) nor \(new)")
      }
      if found == old { datasets = before }
      // Which layouts were laid out before is unknown.
      try layOutAgain(number)
    }
  }

  func readElsewhere() async throws {
    let (other, place) = (try await other(), anyPlace())
    record("another process reads \(id(place))")
    let answer = try await other.call(
      .read(dataset: id(place).dataset, layout: id(place).layout), now)
    // An incarnation and a revision name one answer, whichever process gives it.
    let own = try caches[anyCache()].read(id(place), OtherProcess.Answer.init)
    if answer.text != own.text {
      throw Difference(description: "another process reads \(answer), this one \(own)")
    }
    try read(place) { try compareAll($0, $1) }
    count("read elsewhere")
  }

  func endElsewhere() async throws {
    let (other, way) = (try await other(), Int.random(in: 0..<3, using: &generator))
    record("another process: \(["checkpoint", "close", "kill"][way])")
    switch way {
    case 0: try await other.call(.checkpoint, now)
    case 1: try await closeElsewhere()
    default: await endProcess()
    }
  }

  func closeElsewhere() async throws {
    await #expect(throws: OtherProcess.Ended.self) { try await process?.call(.close, now) }
    process = nil
  }

  func endProcess() async {
    await process?.kill()
    process = nil
  }
}
