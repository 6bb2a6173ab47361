import ArgumentParser
import LayoutCache
import TextFormats

struct CompactCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Return unused space to the file system",
    discussion: """
      It works in short steps, between which other processes read and write. Afterwards the \
      latest change of each dataset can no longer be undone.

      Example:
        layoutcache compact
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    ProgressLine.show(stage: "returning space")
    let bytes = try database.withCache { cache in try cache.compact() }
    try output.print("returned \(bytes) bytes") { json in json.member("bytes", bytes) }
  }
}
