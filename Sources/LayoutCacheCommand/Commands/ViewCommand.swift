import ArgumentParser
import LayoutCache
import TextFormats

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view", abstract: "Set, list, show and remove the named views of a dataset",
    subcommands: [
      ViewSetCommand.self, ViewListCommand.self, ViewShowCommand.self, ViewRemoveCommand.self,
    ])
}

/// The options of a command about one view.
struct NamedViewOptions: ParsableArguments {
  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The view's name", transform: viewName)
  var name: String

  /// Changes the view of a dataset, and prints that it is done.
  func change(_ done: String, _ body: (LayoutCache, String) throws -> Void) throws {
    let (dataset, _) = try database.withDataset(datasetOption, body)
    try output.print("\(done) view '\(name)' of dataset '\(dataset)'") { json in
      json.member("dataset", dataset)
      json.member("view", name)
    }
  }
}

struct ViewSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Give a name to the items that match a filter, in an order, or to listed items",
    discussion: """
      Examples:
        layoutcache view set newest --order -acquired
        layoutcache view set found --keys -
        layoutcache view set ophelia --where title=Ophelia
        layoutcache query --layout phone --view newest --rect 0,0,390,844
      """)

  @OptionGroup var named: NamedViewOptions
  @OptionGroup var items: FilterOptions

  @Option(
    help: ArgumentHelp(
      "A file with the keys of the items, one per line, in their order; - for standard input",
      valueName: "file"))
  var keys: String?

  func validate() throws {
    guard (keys == nil) == (try items.view == nil) else { return }
    throw ValidationError(
      keys == nil
        ? "--where, --order or --keys is needed"
        : "--keys cannot be combined with --where or --order")
  }

  func run() throws {
    let view = try keys.map(listed) ?? items.view
    guard let view else { return }
    try named.change("set") { _ = try $0.setView(named.name, of: $1, to: view) }
  }

  private func listed(_ path: String) throws -> DatasetView {
    let text = try InputFile(path).readText(bytesMax: DatasetView.bytesMax)
    return try DatasetView(keys: text.split { $0 == "\n" || $0 == "\r\n" }.map(String.init))
  }
}

struct ViewListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the named views of a dataset",
    discussion: """
      Example:
        layoutcache view list
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  func run() throws {
    let (dataset, views) = try database.withDataset(datasetOption) {
      try $0.views(of: $1).map(ViewListing.init)
    }
    try output.print(
      "views", views, ViewListing.fields, whenEmpty: "dataset '\(dataset)' has no views"
    ) { $0.member("dataset", dataset) }
  }
}

struct ViewShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the filter and the order of a named view, or its keys",
    discussion: """
      Example:
        layoutcache view show newest
      """)

  @OptionGroup var named: NamedViewOptions

  func run() throws {
    let (_, view) = try named.database.withDataset(named.datasetOption) {
      try $0.view(named.name, of: $1)
    }
    try named.output.print(ViewListing(named.name, view), ViewListing.allFields)
  }
}

struct ViewRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a named view; its items stay",
    discussion: """
      Example:
        layoutcache view remove newest
      """)

  @OptionGroup var named: NamedViewOptions

  func run() throws {
    try named.change("removed") { try $0.removeView(named.name, of: $1) }
  }
}
