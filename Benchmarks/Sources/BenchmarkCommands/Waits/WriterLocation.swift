import Foundation
import LayoutCache
import Synchronization

/// The process in which the small dataset's writer runs. The names are those of the JSON rows.
enum WriterLocation: String, CaseIterable {
  /// The process that does the work: the writer is a thread, with the same `LayoutCache`.
  case sameProcess
  /// A separate process that runs this program.
  case otherProcess

  var title: String {
    switch self {
    case .sameProcess: "same process"
    case .otherProcess: "another process"
    }
  }

  /// Starts the writer, and returns after its first commit.
  ///
  /// - Returns: A function that ends the writer and returns the times of its commits.
  func start(_ cache: LayoutCache) throws -> () throws -> [WaitSample] {
    switch self {
    case .sameProcess: WritingThread(cache).end
    case .otherProcess: try WritingProcess(path: cache.path).end
    }
  }
}

/// The writer as a thread.
private final class WritingThread: Sendable {
  private let isStopping = Atomic(false)
  private let ready = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let result = Mutex(Result<[WaitSample], any Error>.success([]))

  init(_ cache: LayoutCache) {
    Thread { [self] in
      let result = Result {
        try SmallWriter.write(to: cache, pausing: pause) { ready.signal() }
      }
      self.result.withLock { $0 = result }
      // The writer may fail before the first commits.
      ready.signal()
      ended.signal()
    }.start()
    ready.wait()
  }

  private func pause() -> Bool {
    usleep(UInt32(SmallWriter.pauseMilliseconds) * 1000)
    return !isStopping.load(ordering: .acquiring)
  }

  func end() throws -> [WaitSample] {
    isStopping.store(true, ordering: .releasing)
    ended.wait()
    return try result.withLock { try $0.get() }
  }
}

/// The writer as a process: it reports when it is ready, continues until its input ends, and
/// then prints one line per commit.
struct WritingProcess {
  static let ready = "ready\n"

  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(path: String) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = [SmallWriterCommand.name, path]
    process.standardInput = input
    process.standardOutput = output
    do { try process.run() } catch {
      throw Failure(.inputOutput, "cannot run the writer: \(error.localizedDescription)")
    }
    // Returns less if the process fails; `end` reports that.
    _ = try output.fileHandleForReading.read(upToCount: Self.ready.utf8.count)
  }

  func end() throws -> [WaitSample] {
    try input.fileHandleForWriting.close()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      throw Failure(
        .internalError, "the writer's process ended with \(process.terminationStatus)")
    }
    return try String(decoding: text, as: UTF8.self).split(separator: "\n").map { line in
      let numbers = line.split(separator: " ").compactMap { Int64($0) }
      guard numbers.count == 2 else {
        throw Failure(.internalError, "the writer's process printed '\(line)'")
      }
      return WaitSample(start: numbers[0], duration: numbers[1])
    }
  }
}
