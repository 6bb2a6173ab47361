import ArgumentParser
import Foundation
import LayoutCache

/// The process that `waits` starts.
struct SmallWriterCommand: ParsableCommand {
  static let name = "small-writer"

  static let configuration = CommandConfiguration(
    commandName: name,
    abstract: "Change the small dataset of 'waits' until standard input ends", shouldDisplay: false)

  @Argument(help: "The database")
  var database: String

  func run() throws {
    let cache = try LayoutCache(path: database)
    let samples = try SmallWriter.write(to: cache, pausing: pause) {
      try StandardOutput.write(WritingProcess.ready)
    }
    try cache.close()
    try StandardOutput.write(samples.map { "\($0.start) \($0.duration)\n" }.joined())
  }

  /// Pauses, and returns whether the input is still open.
  private func pause() -> Bool {
    var input = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    return poll(&input, 1, SmallWriter.pauseMilliseconds) == 0
  }
}
