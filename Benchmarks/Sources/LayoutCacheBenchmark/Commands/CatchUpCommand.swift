import ArgumentParser
import Foundation

struct CatchUpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "catch-up",
    abstract: "Measure catching up with a layout's dataset beside laying out from scratch",
    discussion: """
      A layout is left behind by 10, 30, 100, 300 ... commits of one operation each, resizes and \
      insertions at random places by turns, as many as a tenth of the items, and then brought up \
      to date; then its result is taken away and it is laid out from scratch. Where it is \
      farther behind than the library follows, catching up is laying out, too.
      """)

  @OptionGroup var options: SizeOptions

  func run() throws {
    try options.run(
      default: [10_000, 1_000_000], CatchUpRun.measure, text: \.text, json: CatchUpSize.json)
  }
}
