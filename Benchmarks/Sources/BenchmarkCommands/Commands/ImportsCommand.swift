import ArgumentParser
import Foundation

struct ImportsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imports",
    abstract: "Measure 'layoutcache import' of NDJSON compared with plain SQLite inserts",
    discussion: """
      The time of an import is that of a whole process, including parsing. The inserts have their \
      rows in memory and a prepared statement, in one transaction, into a table with an index on \
      the key. Keys are in random order, then in ascending order.
      """)

  @Argument(help: "The built layoutcache")
  var program: String

  @Argument(help: "The number of items, at least 1")
  var items = 1_000_000

  func validate() throws {
    if items < 1 { throw ValidationError("items is \(items); use at least 1") }
  }

  func run() throws {
    let folder = try BenchFolder(in: NSTemporaryDirectory())
    defer { folder.remove() }
    let run = ImportRun(program: program, itemCount: items, folder: folder)
    for order in KeyOrder.allCases { try StandardOutput.write(try run.measure(order).text) }
  }
}
