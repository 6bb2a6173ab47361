import ArgumentParser
import LayoutCache
import TextFormats

struct SectionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "List the sections of a dataset",
    discussion: """
      With --layout it also prints each section's start and length along the scrolling axis.

      Example:
        layoutcache sections --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption
  @OptionGroup var carousels: CarouselOptions

  @Option(
    help: "The layout for start and length", completion: .layouts, transform: layoutName)
  var layout: String?

  func validate() throws {
    if layout == nil && !carousels.offset.isEmpty {
      throw ValidationError("--offset needs --layout")
    }
  }

  func run() throws {
    let (dataset, listing) = try database.withCache { cache in
      let dataset = try datasetOption.name(in: cache)
      return (
        dataset,
        try SectionListing(
          of: dataset, layout: layout, scrolledTo: carousels.offsets, in: cache)
      )
    }
    try output.print(
      "sections", listing.sections, SectionListing.Section.fields,
      whenEmpty: "dataset '\(dataset)' has no sections"
    ) { json in
      json.member("dataset", dataset)
      json.optionalMember("layout", layout)
      json.optionalMember("revision", listing.revision)
    }
  }
}
