import ArgumentParser
import LayoutCache
import TextFormats

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copy the database into a new file while it is in use",
    discussion: """
      The copy holds one committed state, and can be read as it is. 'restore' puts it in place of \
      the database. The first change turns it into a separate database, so that its answers cannot \
      be mistaken for those of the original.

      Example:
        layoutcache backup feeds-2026-11-22.sqlite
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The new file", completion: .file())
  var file: String

  func validate() throws {
    if file.isEmpty { throw ValidationError("the new file's name is empty") }
  }

  func run() throws {
    Interruption.watch()
    let begun = ContinuousClock.now
    let bytes = try database.withCache { cache in
      try cache.backup(to: file) { bytes, total in
        try Interruption.check()
        ProgressLine.show(stage: "copying", part: (bytes, total))
      }
    }
    let duration = begun.duration(to: .now)
    try output.print("copied \(bytes) bytes into \(file) in \(duration.inMilliseconds)") { json in
      json.member("file", file)
      json.member("bytes", bytes)
      json.member("microseconds", duration.wholeMicroseconds)
    }
  }
}
