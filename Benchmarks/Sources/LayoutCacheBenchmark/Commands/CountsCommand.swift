import ArgumentParser
import BenchmarkBaselines
import Foundation

struct CountsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "counts",
    abstract: "Do one operation a number of times, so that its work can be counted",
    discussion: """
      On \(CountRun.itemCount) items in a new database. Prints the nodes that the calls visited or \
      changed, and the bytes that they wrote, as JSON; without arguments the operations' names. \
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
      throw ValidationError("The number of calls is 0 to \(CountRun.callsMax).")
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
