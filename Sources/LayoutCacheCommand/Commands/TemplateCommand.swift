import ArgumentParser
import LayoutCache
import TextFormats

struct TemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "template", abstract: "Set, list, show and remove layouts of many datasets",
    subcommands: [
      TemplateSetCommand.self, TemplateListCommand.self, TemplateShowCommand.self,
      TemplateRemoveCommand.self,
    ])
}

struct TemplateSetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set a layout of all datasets of a name, or of names that begin alike",
    discussion: """
      Each dataset is laid out by it at the first query there. A layout that a dataset has itself \
      goes before it, and of several templates the one with the longest pattern.

      Examples:
        layoutcache template set phone --datasets 'album-*' --width 375 --columns 2
        layoutcache template set albums --datasets 'album-*' --name wall --config phone.json
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The template's name", transform: templateName)
  var template: String

  @Option(
    help: ArgumentHelp("The dataset's name, or the beginning of names and *", valueName: "pattern"))
  var datasets: String

  @Option(
    help: ArgumentHelp(
      "The layout's name in the datasets (default: the template's)", valueName: "layout"),
    transform: layoutName)
  var name: String?

  @Option(help: ArgumentHelp("A JSON file, or - for standard input", valueName: "file"))
  var config: String?

  @OptionGroup(title: "Configuration flags, instead of --config") var container: ContainerFlags
  @OptionGroup(title: "Configuration of the sections") var section: SectionFlags
  @OptionGroup(title: "Configuration of the sections") var background: BackgroundFlags

  var flags: ConfigurationFlags {
    ConfigurationFlags(container: container, section: section, background: background)
  }

  func validate() throws {
    try flags.validate(besides: config)
    if config == nil && !flags.areGiven {
      throw ValidationError("no configuration given; use --config, or --kind, --width and others")
    }
  }

  func run() throws {
    let template = LayoutTemplate(
      self.template, datasets: datasets, layout: name ?? self.template,
      configuration: try flags.configuration(or: config))
    try database.withCache { _ = try $0.setTemplate(template) }
    try output.print(
      "set template '\(template.name)': layout '\(template.layout)' of datasets '\(datasets)'"
    ) { json in
      json.member("template", template.name)
      json.member("datasets", datasets)
      json.member("name", template.layout)
    }
  }
}

struct TemplateListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the templates",
    discussion: """
      Example:
        layoutcache template list
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  func run() throws {
    let templates = try database.withCache { try $0.templates().map(TemplateListing.init) }
    try output.print(
      "templates", templates, TemplateListing.fields, whenEmpty: "there are no templates")
  }
}

struct TemplateShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a template's configuration",
    discussion: """
      The output is valid input for 'layoutcache template set --config'. With --json it is the \
      configuration with the names.

      Example:
        layoutcache template show phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The template's name", transform: templateName)
  var template: String

  func run() throws {
    let template = try database.withCache { try $0.template(self.template) }
    guard output.json else { return try StandardOutput.print(template.configuration, pretty: true) }
    let listing = try TemplateListing(template)
    try StandardOutput.printJSON { $0.value(listing, TemplateListing.fields) }
  }
}

struct TemplateRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a template and the layouts that come from it",
    discussion: """
      Example:
        layoutcache template remove phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The template's name", transform: templateName)
  var template: String

  func run() throws {
    try database.withCache { try $0.removeTemplate(template) }
    try output.print("removed template '\(template)'") { $0.member("template", template) }
  }
}
