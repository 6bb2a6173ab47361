import ArgumentParser
import LayoutCache
import TextFormats

struct ViewCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "view",
    abstract: "Set, list, show and remove the named views of a dataset",
    subcommands: [
      ViewSetCommand.self, ViewListCommand.self, ViewShowCommand.self, ViewRemoveCommand.self,
    ])
}

struct ViewSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Give a name to the items that match a filter, in an order",
    discussion: """
      Examples:
        layoutcache view set newest --order -acquired
        layoutcache view set ophelia --where title=Ophelia
        layoutcache query --layout phone --view newest --rect 0,0,390,844
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The view's name", transform: viewName)
  var name: String

  @OptionGroup var items: FilterOptions

  func validate() throws {
    if try items.view == nil { throw ValidationError("--where or --order is needed") }
  }

  func run() throws {
    guard let view = try items.view else { return }
    let dataset = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      try cache.setView(name, of: dataset, to: view)
      return dataset
    }
    try output.print("set view '\(name)' of dataset '\(dataset)'") { json in
      json.member("dataset", dataset)
      json.member("view", name)
    }
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
    let (dataset, views) = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      return (dataset, try cache.views(of: dataset).map(ViewListing.init))
    }
    try output.print(
      "views", views, ViewListing.fields, whenEmpty: "dataset '\(dataset)' has no views"
    ) { $0.member("dataset", dataset) }
  }
}

struct ViewShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print the filter and the order of a named view",
    discussion: """
      Example:
        layoutcache view show newest
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The view's name", transform: viewName)
  var name: String

  func run() throws {
    let view = try database.withCache { try $0.view(name, of: datasetOption.name(in: $0)) }
    try output.print(ViewListing(name, view), ViewListing.fields)
  }
}

struct ViewRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a named view; its items stay",
    discussion: """
      Example:
        layoutcache view remove newest
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The view's name", transform: viewName)
  var name: String

  func run() throws {
    let dataset = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      try cache.removeView(name, of: dataset)
      return dataset
    }
    try output.print("removed view '\(name)' of dataset '\(dataset)'") { json in
      json.member("dataset", dataset)
      json.member("view", name)
    }
  }
}
