import ArgumentParser
import Foundation

struct DocumentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "document",
    abstract: "Measure a feed and write the figures into \(MeasuredParts.document)",
    discussion: """
      Replaces the parts between "<!-- measured: NAME -->" and "<!-- end -->", with the machine, \
      the commit and the date; the text around them is kept. --results uses the figures of an \
      earlier run with --json.

      Example, from the repository's folder:
        make bench ARGS=document
      """)

  @Option(help: ArgumentHelp("The output of a run with --json", valueName: "file"))
  var results: String?

  @Option(help: ArgumentHelp("The document", valueName: "file"))
  var document = MeasuredParts.document

  func run() throws {
    var text = MarkedText(try Self.read(document))
    let figures: FeedResults
    if let results {
      figures = try FeedResults(json: try Self.read(results), from: results)
    } else {
      guard let program = Bundle.main.executablePath else {
        throw Failure(.inputOutput, "cannot find this program's file")
      }
      // The figures are rounded as in JSON, so that both ways result in the same text.
      let items = MeasuredParts.sizes.map(String.init).joined(separator: ",")
      figures = try FeedResults(
        json: try ProgramOutput.of(program, ["feed", "--json", "--items", items]), from: program)
    }
    for part in MeasuredParts(figures).parts { try text.replace(part.name, with: part.text) }
    do {
      try Data(text.text.utf8).write(to: URL(fileURLWithPath: document))
    } catch {
      throw Failure(.inputOutput, "cannot write \(document): \(error.localizedDescription)")
    }
  }

  private static func read(_ path: String) throws -> String {
    do {
      return try String(contentsOfFile: path, encoding: .utf8)
    } catch {
      throw Failure(.inputOutput, "cannot read \(path): \(error.localizedDescription)")
    }
  }
}
