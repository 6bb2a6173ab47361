import ArgumentParser
import Foundation

struct CatchUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catch-up",
    abstract: "Measure catching up with commits, compared with laying out from scratch",
    discussion: """
      A layout lags behind by 10, 30, 100, 300 ... commits, up to a tenth of the number of items. \
      Each commit is one operation at a random position, alternately a resize and an insertion. \
      The layout is brought up to date, then invalidated and laid out from scratch. If it lags \
      too far behind, the library catches up by laying out from scratch too.
      """)

  @OptionGroup var options: SizeOptions

  func run() throws {
    try options.run(
      default: [10_000, 1_000_000], CatchUpRun.measure, text: \.text, json: CatchUpSize.json)
  }
}
