import ArgumentParser
import LayoutCache
import TextFormats

struct VerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Check the database, and compare each layout with one computed from scratch",
    discussion: """
      Runs SQLite's integrity check, reads every node and computes each layout again, without \
      changing anything. Each problem is one line, and the exit code is then 1.

      Example:
        layoutcache verify
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Option(help: "The dataset (default: all)", completion: .datasets, transform: datasetName)
  var dataset: String?

  func run() throws {
    let report = try database.withCache { try $0.verify(dataset: dataset) }
    if output.json {
      try StandardOutput.printJSON { $0.value(report, VerificationReport.fields) }
    } else {
      if !report.problems.isEmpty {
        try Table(report.problems, VerificationReport.Problem.fields).print()
        try StandardOutput.printLine("")
      }
      try StandardOutput.print(report, VerificationReport.fields)
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
}

extension VerificationReport {
  /// The checked parts, and the results.
  fileprivate static var fields: [AnswerField<Self>] {
    [
      AnswerField("datasets", \.datasetCount), AnswerField("layouts", \.layoutCount),
      AnswerField("items", \.itemCount), AnswerField("nodes", \.nodeCount),
      .rows("problems", as: .number("problems"), Problem.fields, \.problems) {
        $0.problems.count.text
      },
    ]
  }
}

extension VerificationReport.Problem {
  fileprivate static var fields: [AnswerField<Self>] {
    [AnswerField("place", \.place), AnswerField("detail", \.detail)]
  }
}
