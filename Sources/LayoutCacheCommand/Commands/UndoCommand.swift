import ArgumentParser
import LayoutCache
import LayoutGeometry

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo", abstract: "Undo the latest change of a dataset, or the latest ones",
    discussion: """
      The undo is a change itself: it restores items, sections and layouts to their state before \
      the undone change, and a second undo is a redo. Marks stay. An import cannot be undone, nor \
      can a change that the database no longer has, for example after 'compact'.

      With --to, all changes after a revision are undone by one. Items and sections are restored; \
      items of a stable waterfall are placed like inserted ones if their columns are not known.

      Layouts that were up to date are updated; the recomputed parts of each are printed.

      Example:
        layoutcache undo --dataset tate
        layoutcache undo --dataset tate --to 1
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The revision to return to", valueName: "revision"))
  var to: Int?

  @OptionGroup var change: ChangeOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    ProgressLine.show(stage: "changing the dataset")
    let commit = try database.withCache { cache in
      try cache.undo(
        datasetOption.name(in: cache), to: to, visible: change.visible,
        anchor: change.offsetAnchor, direction: change.layoutDirection.direction,
        preparing: change.prepared, expecting: change.revision.expect)
    }
    try commit.print(asJSON: output.json)
  }
}
