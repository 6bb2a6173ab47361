import ArgumentParser
import LayoutCache
import TextFormats

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Give the space that nobody needs back to the file system",
    discussion: """
      It goes in short steps, between which others read and write. A file that an older \
      version has made is first written anew as a whole, once; others wait for that.

      Example:
        layoutcache compact
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    ProgressLine.show(stage: "giving space back")
    let bytes = try database.withCache { cache in
      try cache.compact {
        StandardError.writeLine("the file is written anew, once: others wait for that")
      }
    }
    try output.print("gave back \(bytes) bytes") { json in json.member("bytes", bytes) }
  }
}
