import ArgumentParser
import LayoutCache
import LayoutGeometry

struct UndoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take the newest change of a dataset back",
    discussion: """
      It is taken back by a change of its own: items, sections and layouts are as they were \
      before it, and undo again is redo. Marks stay. An import can't be taken back, nor a \
      change that the database does not hold any more, as once it was compacted.

      Layouts that were up to date stay so, and what each had to recompute is printed.

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
