import ArgumentParser
import CollectionLayout
import LayoutGeometry

/// The layout direction of positions that a command reads and prints.
struct DirectionOption: ParsableArguments {
  @Option(
    help: "The layout direction: leftToRight or rightToLeft (default: the layout's)",
    completion: .list(LayoutConfiguration.LayoutDirection.allCases.map(\.rawValue)),
    transform: { text in
      if let direction = LayoutConfiguration.LayoutDirection(rawValue: text) { return direction }
      throw ValidationError("expected leftToRight or rightToLeft, not '\(excerpt(text))'")
    })
  var direction: LayoutConfiguration.LayoutDirection?
}
