import ArgumentParser
import LayoutCache
import TextFormats

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the database and every layout against one from scratch",
    discussion: """
      Runs SQLite's integrity check, reads every node and lays out anew, changing nothing. Each \
      problem is a line; the exit code is then 1.
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Option(help: "The dataset (default: all)", transform: datasetName)
  var dataset: String?

  func run() throws {
    let report = try database.withCache { try $0.verify(dataset: dataset) }
    if output.json {
      try printJSON(report)
    } else {
      try printLines(report)
    }
    if !report.problems.isEmpty {
      throw Failure(
        .differences,
        """
        the check of \(database.path) found \(plural(report.problems.count, "problem")); import \
        a damaged dataset again, and set a damaged layout again
        """)
    }
  }

  private func printLines(_ report: VerificationReport) throws {
    var standardOutput = StandardOutput()
    for problem in report.problems {
      try standardOutput.writeLine("\(problem.place): \(problem.detail)")
    }
    try standardOutput.writeLine(
      """
      checked \(plural(report.datasetCount, "dataset")), \
      \(plural(report.layoutCount, "layout")), \(plural(report.itemCount, "item")) and \
      \(plural(report.nodeCount, "node")): \
      \(report.problems.isEmpty ? "no problems" : plural(report.problems.count, "problem"))
      """)
    try standardOutput.flush()
  }

  private func printJSON(_ report: VerificationReport) throws {
    try StandardOutput.printJSON { json in
      json.beginObject()
      json.member("datasets", report.datasetCount)
      json.member("layouts", report.layoutCount)
      json.member("items", report.itemCount)
      json.member("nodes", report.nodeCount)
      json.member("problems", of: report.problems) { json, problem in
        json.beginObject()
        json.member("place", problem.place)
        json.member("detail", problem.detail)
        json.endObject()
      }
      json.endObject()
    }
  }
}
