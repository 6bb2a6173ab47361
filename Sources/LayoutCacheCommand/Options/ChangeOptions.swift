import ArgumentParser
import LayoutCache
import LayoutGeometry

/// The options of commands that change a dataset.
struct ChangeOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The visible bounds before the change; prints the offset that keeps its cells in place",
      valueName: "x,y,width,height"),
    transform: Rect.init(argument:))
  var visible: Rect?

  @Option(help: "What keeps its place in the visible bounds: cell, or end while it is in sight")
  var anchor = Anchor.cell

  /// ``OffsetAnchor`` as a flag's value.
  enum Anchor: String, CaseIterable, ExpressibleByArgument {
    case cell, end
  }

  @OptionGroup var layoutDirection: DirectionOption

  @Flag(help: "Do not update the layouts; each catches up at its next query")
  var lazy = false

  @OptionGroup var revision: ExpectedRevision

  func validate() throws {
    if visible != nil { return }
    if anchor != .cell { throw ValidationError("--anchor needs --visible") }
    if layoutDirection.direction != nil { throw ValidationError("--direction needs --visible") }
  }

  var offsetAnchor: OffsetAnchor { anchor == .end ? .end : .cell }

  /// The layouts that the change brings up to date.
  var prepared: UpdatedLayouts { lazy ? .none : .upToDate }
}

/// The revision at which a dataset is changed.
struct ExpectedRevision: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The required revision of the dataset; at another, exit with 1 and change nothing",
      valueName: "revision"))
  var expect: Int?
}
