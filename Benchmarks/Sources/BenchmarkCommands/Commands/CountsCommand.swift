import ArgumentParser
import BenchmarkBaselines
import Foundation

struct CountsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counts",
    abstract: "Repeat one operation, so that its work can be counted",
    discussion: """
      Uses \(CountRun.itemCount) items in a new database. Prints as JSON the numbers of nodes \
      visited or changed and of bytes written; without arguments, the names of the operations. \
      Scripts/counts.py also counts instructions and allocations, and compares the difference \
      between two numbers of calls with Benchmarks/Counts.txt.

      Example, from the repository's folder:
        make counts
      """)

  @Argument(help: "The operation")
  var operation: CountedOperation?

  @Argument(help: "The number of calls, up to \(CountRun.callsMax)")
  var calls = CountRun.callsMax

  func validate() throws {
    if !(0...CountRun.callsMax).contains(calls) {
      throw ValidationError("the number of calls is \(calls); use 0 to \(CountRun.callsMax)")
    }
  }

  func run() throws {
    guard let operation else {
      return try write([
        ("sqlite", .text(sqliteVersion)),
        ("operations", .array(CountedOperation.allCases.map { .text($0.rawValue) })),
      ])
    }
    let folder = try BenchFolder(in: NSTemporaryDirectory())
    defer { folder.remove() }
    var run = try CountRun(operation, in: folder)
    let work = try run.run(calls)
    try write([
      ("nodes", .optional(work.nodes.map(Double.init))),
      ("bytes", .optional(work.bytesWritten.map(Double.init))),
    ])
  }

  private func write(_ members: [(name: String, value: JSONValue)]) throws {
    try StandardOutput.write(JSONValue.object(members).encoded + "\n")
  }
}

extension CountedOperation: ExpressibleByArgument {}
