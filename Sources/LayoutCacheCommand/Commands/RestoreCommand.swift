import ArgumentParser
import LayoutCache
import TextFormats

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Put a backup in place of the database",
    discussion: """
      Stop all processes that use the database first: with one, the exit code is 75. The backup \
      is copied, and not changed. A database that cannot be opened is kept as \
      DATABASE.damaged-TIME.

      Example:
        layoutcache restore feeds-2026-11-22.sqlite --database feeds.sqlite
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The backup, or another database", completion: .file())
  var backup: String

  func validate() throws {
    if backup.isEmpty { throw ValidationError("the backup's name is empty") }
  }

  func run() throws {
    Interruption.watch()
    let begun = ContinuousClock.now
    let bytes = try LayoutCache.restore(from: backup, to: database.path) { bytes, total in
      try Interruption.check()
      ProgressLine.show(stage: "copying", part: (bytes, total))
    }
    let duration = begun.duration(to: .now)
    try output.print(
      "restored \(bytes) bytes to \(database.path) in \(duration.inMilliseconds)"
    ) { json in
      json.member("file", database.path)
      json.member("bytes", bytes)
      json.member("microseconds", duration.wholeMicroseconds)
    }
  }
}
