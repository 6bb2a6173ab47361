import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct SectionsCommand: ParsableCommand {
  private struct Listing {
    struct Section {
      var index: Int
      var key: String
      var firstItem: Int
      var itemCount: Int
      /// Where a layout has the section along the scrolling axis.
      var start: Length?
      var length: Length?

      static var fields: [AnswerField<Self>] {
        [
          AnswerField("section", \.index), AnswerField("sectionKey", as: "key", \.key),
          AnswerField("firstItem", as: "first item", \.firstItem),
          AnswerField("items", \.itemCount), .optional("start", as: .number("start"), \.start),
          .optional("length", as: .number("length"), \.length),
        ]
      }
    }

    var sections: [Section] = []
    /// The dataset's revision, where a layout is asked for.
    var revision: Int?
  }

  static let configuration = CommandConfiguration(
    commandName: "sections",
    abstract: "List the sections of a dataset",
    discussion: "With --layout, each section's start and length along the scrolling axis too.")

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var datasetOption: DatasetOption
  @OptionGroup var output: FormatOption

  @Option(help: "The layout that gives start and length", transform: layoutName)
  var layout: String?

  func run() throws {
    let listing = try database.withCache { try self.listing(in: $0) }
    try output.print(
      "sections", listing.sections, Listing.Section.fields,
      whenEmpty: "dataset '\(dataset)' has no sections"
    ) { json in
      json.member("dataset", dataset)
      json.optionalMember("layout", layout)
      json.optionalMember("revision", listing.revision)
    }
  }

  private var dataset: String { datasetOption.dataset }

  private func listing(in cache: LayoutCache) throws -> Listing {
    var listing = Listing()
    guard let layout else {
      try cache.forEachSection(of: dataset) { section in
        listing.sections.append(
          Listing.Section(
            index: listing.sections.count, key: section.key, firstItem: section.firstItem,
            itemCount: section.itemCount))
      }
      return listing
    }
    return try cache.read(LayoutID(layout, of: dataset)) { snapshot in
      var listing = Listing(revision: snapshot.revision)
      try snapshot.forEachSection { section in
        listing.sections.append(
          Listing.Section(
            index: listing.sections.count, key: section.key, firstItem: section.firstItem,
            itemCount: section.itemCount, start: section.start, length: section.length))
        return true
      }
      return listing
    }
  }
}
