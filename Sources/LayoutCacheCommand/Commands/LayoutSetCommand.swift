import ArgumentParser
import CollectionLayout
import LayoutCache
import TextFormats

struct LayoutSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Attach a layout to a dataset, or change an existing one",
    discussion: """
      The configuration is a JSON file, or flags for its members; --previous restores the one before \
      the present one, and again this one. Nothing is laid out before the \
      first query or 'layoutcache prepare'. Overrides of sections that do not exist, and styles of \
      sections without options, are accepted with a warning.

      Examples:
        layoutcache layout set tablet --kind waterfall --width 768 --columns 3
        layoutcache layout set phone --config phone.json
        layoutcache layout set phone --previous
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Argument(help: "The layout's name", completion: .layouts, transform: layoutName)
  var name: String

  @Option(help: ArgumentHelp("A JSON file, or - for standard input", valueName: "file"))
  var config: String?

  @Flag(help: "Restore the previous configuration")
  var previous = false

  // Not a group of groups: titles of nested groups are not printed, and a debug build of the parser
  // validates a group again for each group around it, which took half a second.
  @OptionGroup(title: "Configuration flags, instead of --config") var container: ContainerFlags
  @OptionGroup(title: "Configuration of the sections") var section: SectionFlags
  @OptionGroup(title: "Configuration of the sections") var background: BackgroundFlags

  var flags: ConfigurationFlags {
    ConfigurationFlags(container: container, section: section, background: background)
  }

  func validate() throws {
    if previous && (config != nil || flags.areGiven) {
      throw ValidationError("--previous cannot be combined with a configuration")
    }
    try flags.validate(besides: config)
    if config == nil && !flags.areGiven && !previous {
      throw ValidationError(
        "no configuration given; use --config, --previous, or --kind, --width and others")
    }
  }

  func run() throws {
    let configuration = previous ? nil : try flags.configuration(or: config)
    let (dataset, warnings) = try database.withDataset(datasetOption) { cache, dataset in
      let layout = LayoutID(name, of: dataset)
      let set =
        try configuration.map { try cache.setLayout(layout, to: $0).layout }
        ?? cache.restorePreviousConfiguration(of: layout)
      // The layout is set, whether or not the dataset can be read.
      return (try? cache.warnings(about: set.configuration, of: dataset)) ?? []
    }
    for warning in warnings { StandardError.writeLine("warning: \(warning)") }
    try output.print("set layout '\(name)' of dataset '\(dataset)'") { json in
      json.member("dataset", dataset)
      json.member("layout", name)
      if !warnings.isEmpty { json.member("warnings", warnings) }
    }
  }
}
