import ArgumentParser
import LayoutCache
import LayoutGeometry

/// What is asked for with a change of a dataset.
struct ChangeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds before the change: print how to keep its cells in place",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  @Flag(help: "Leave the layouts behind; each catches up at its next query")
  var lazy = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Change nothing, and exit with 1, unless the dataset is at this revision",
      valueName: "revision"))
  var expect: Int?

  /// The layouts that the change brings up to date.
  var prepared: UpdatedLayouts { lazy ? .none : .upToDate }
}
