import ArgumentParser
import Foundation

struct CompareCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compare",
    abstract: "Compare this build with that of another commit",
    discussion: """
      The commit is checked out into \(ComparedBuild.folder) and built there, once. Both programs \
      measure a feed alternately, with the same random numbers. Each figure is in units of a \
      baseline in the same process, such as bare commits. A ratio divides this build's figure by \
      the commit's figure in the same round. The output has the median of the ratios and the \
      quartiles, and "slower" or "faster" if both quartiles agree. Comparing a commit with \
      itself shows the noise of the machine.

      Example, from the repository's folder:
        make bench ARGS="compare HEAD~1 --rounds 9"
      """)

  @Argument(help: "The commit to compare with")
  var commit: String

  @Option(help: "The number of runs of each program")
  var rounds = 5

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "The numbers of items, separated by commas; may repeat (default: 100000)",
      valueName: "n,..."),
    transform: ItemCounts.init)
  var items: [ItemCounts] = []

  @Option(help: "The number of changes of the longest run")
  var edits = 5_000

  func validate() throws {
    guard (1...1_000).contains(rounds) else {
      throw ValidationError("--rounds is \(rounds); use 1 to 1000")
    }
    if !FeedCommand.editsRange.contains(edits) {
      throw ValidationError(
        """
        --edits is \(edits); use \(FeedCommand.editsRange.lowerBound) to \
        \(FeedCommand.editsRange.upperBound)
        """)
    }
  }

  func run() throws {
    let progress = ProgressLine()
    defer { progress.clear() }
    progress.show("building \(commit)")
    let other = try ComparedBuild(commit: commit)
    guard let this = Bundle.main.executablePath else {
      throw Failure(.inputOutput, "cannot find this program's file")
    }
    let counts = items.isEmpty ? [100_000] : items.flatMap(\.counts)
    func measure(_ program: String) throws -> FeedResults {
      let output = try ProgramOutput.of(
        program,
        [
          "feed", "--json", "--edits", String(edits), "--items",
          counts.map(String.init).joined(separator: ","),
        ], isQuiet: true)
      return try FeedResults(json: output, from: program)
    }
    var comparison = Comparison()
    for round in 0..<rounds {
      progress.show("round \(round + 1) of \(rounds)")
      // The order alternates, because the first run of a pair may affect the second.
      if round.isMultiple(of: 2) {
        let otherResults = try measure(other.program)
        comparison.add(other: otherResults, this: try measure(this))
      } else {
        let results = try measure(this)
        comparison.add(other: try measure(other.program), this: results)
      }
    }
    progress.clear()
    try StandardOutput.write(
      TextStyle.heading("this build compared with \(commit), \(plural(rounds, "round"))") + "\n"
        + comparison.text + TextStyle.note(Machine.text) + "\n")
  }
}
