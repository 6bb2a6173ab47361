import ArgumentParser
import LayoutCache
import TextFormats

struct SectionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "List the sections of a dataset",
    discussion: """
      With --layout it also prints each section's start and length along the scrolling axis. With \
      --limit, "next" of --json is the key for --after.

      Examples:
        layoutcache sections --layout phone
        layoutcache sections --limit 3 --after 1927
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption
  @OptionGroup var carousels: CarouselOptions

  @Option(
    help: "The layout for start and length", completion: .layouts, transform: layoutName)
  var layout: String?

  @Option(parsing: .unconditional, help: "The maximum number of sections (default: all)")
  var limit: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Start after the section with this key", valueName: "key"))
  var after: String?

  func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    if layout == nil && !carousels.offset.isEmpty {
      throw ValidationError("--offset needs --layout")
    }
  }

  func run() throws {
    let (dataset, listing) = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      do {
        return (
          dataset,
          try SectionListing(
            of: dataset, layout: layout, scrolledTo: carousels.offsets(of: dataset, in: cache),
            from: after.map { .after(key: $0) } ?? .index(0), count: limit ?? .max, in: cache)
        )
      } catch let error as NoSuchSection {
        throw Failure(
          .notFound, "dataset '\(dataset)' has no section '\(excerpt(error.key))'",
          hint: NearNames(cache).section(error.key, of: dataset))
      }
    }
    try output.print(
      "sections", listing.sections, SectionListing.Section.fields,
      whenEmpty: "dataset '\(dataset)' has no sections"
    ) { json in
      json.member("dataset", dataset)
      json.optionalMember("layout", listing.layout)
      json.optionalMember("revision", listing.revision)
      json.optionalMember("next", listing.hasMore ? listing.sections.last?.key : nil)
    }
  }
}
