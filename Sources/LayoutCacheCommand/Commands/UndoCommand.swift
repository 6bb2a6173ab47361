import ArgumentParser
import LayoutCache
import LayoutGeometry

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the latest change of a dataset",
    discussion: """
      The undo is a change itself: it restores items, sections and layouts to their state before \
      the undone change, and a second undo is a redo. Marks stay. An import cannot be undone, nor \
      can a change that the database no longer has, for example after 'compact'.

      Layouts that were up to date are updated; the recomputed parts of each are printed.

      Example:
        layoutcache undo --dataset tate
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var change: ChangeOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    ProgressLine.show(stage: "changing the dataset")
    let commit = try database.withCache { cache in
      try cache.undo(
        datasetOption.name(in: cache), visible: change.visible, preparing: change.prepared,
        expecting: change.expect)
    }
    try commit.print(asJSON: output.json)
  }
}
