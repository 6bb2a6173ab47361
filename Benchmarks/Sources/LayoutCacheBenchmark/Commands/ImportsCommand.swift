import ArgumentParser
import Foundation

struct ImportsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imports",
    abstract: "Measure 'layoutcache import' of NDJSON beside plain SQLite inserts",
    discussion: """
      The import is a process of its own, parsing included; the inserts have their rows in memory \
      and prepared statements, in one transaction, into a table with an index on the key. Keys \
      come in random order, then in ascending order.
      """)

  @Argument(help: "The built layoutcache")
  var program: String

  @Argument(help: "The number of items, from 1 on")
  var items = 1_000_000

  func validate() throws {
    if items < 1 { throw ValidationError("items is \(items); it is at least 1") }
  }

  func run() throws {
    let folder = try BenchFolder(in: NSTemporaryDirectory())
    defer { folder.remove() }
    let run = ImportRun(program: program, itemCount: items, folder: folder)
    for order in KeyOrder.allCases { try StandardOutput.write(try run.measure(order).text) }
  }
}
