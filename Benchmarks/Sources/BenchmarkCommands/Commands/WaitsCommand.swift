import ArgumentParser
import Foundation

struct WaitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waits",
    abstract: "Measure how long a writer waits for long work on another dataset",
    discussion: """
      A writer resizes one item of a dataset of 100 items every few milliseconds: first in a \
      thread of the process that works on the large dataset, then in a separate process. The \
      large dataset is that of 'feed', with a stable waterfall of five columns and a flow. A \
      tenth of its items is resized in batches of 1,000, with which the layouts catch up, and a \
      hundredth in one commit each. 'longest at' is the start of the longest wait as a fraction \
      of the work's time; the writer continues for a short time after the work. The target \
      applies to 1,000,000 items or more.
      """)

  @OptionGroup var options: SizeOptions

  func run() throws {
    try options.run(default: [1_000_000], WaitRun.measure, text: \.text, json: WaitSize.json)
  }
}
