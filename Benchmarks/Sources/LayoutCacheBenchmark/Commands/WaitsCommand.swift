import ArgumentParser
import Foundation

struct WaitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "waits",
    abstract: "Measure how long a writer waits for long work with another dataset",
    discussion: """
      A writer resizes one item of a dataset of 100 items every few milliseconds: first in a \
      thread of the process that works on the large dataset, then in a process of its own. The \
      large one is as of 'feed', a stable waterfall of five columns, beside which there is a \
      flow; a tenth of its items is resized by batches of 1,000 which the layouts catch up with, \
      and a hundredth by one commit after the other. 'At' is when the longest wait began, as a \
      part of the work's time; the writer goes on a little behind the work's end. The target is \
      meant for 1,000,000 items.
      """)

  @OptionGroup var options: SizeOptions

  func run() throws {
    try options.run(default: [1_000_000], WaitRun.measure, text: \.text, json: WaitSize.json)
  }
}
