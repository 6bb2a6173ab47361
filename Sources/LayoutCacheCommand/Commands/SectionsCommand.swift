import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

struct SectionsCommand: ParsableCommand {
  private struct Listing {
    struct Section {
      var key: String
      var firstItem: Int
      var itemCount: Int
      /// Where a layout has the section along the scrolling axis.
      var extent: (start: Length, length: Length)?
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
    if output.json {
      try printJSON(listing)
    } else {
      try printTable(listing)
    }
  }

  private func listing(in cache: LayoutCache) throws -> Listing {
    guard let layout else {
      var listing = Listing()
      try cache.forEachSection(of: datasetOption.dataset) { section in
        listing.sections.append(
          Listing.Section(
            key: section.key, firstItem: section.firstItem, itemCount: section.itemCount))
      }
      return listing
    }
    return try cache.read(dataset: datasetOption.dataset, layout: layout) { snapshot in
      var listing = Listing(revision: snapshot.revision)
      try snapshot.forEachSection { section in
        listing.sections.append(
          Listing.Section(
            key: section.key, firstItem: section.firstItem, itemCount: section.itemCount,
            extent: (section.start, section.length)))
        return true
      }
      return listing
    }
  }

  private func printJSON(_ listing: Listing) throws {
    try StandardOutput.printJSON { json in
      json.beginObject()
      json.member("dataset", datasetOption.dataset)
      json.optionalMember("layout", layout)
      json.optionalMember("revision", listing.revision)
      json.member("sections", of: listing.sections.enumerated()) { json, numbered in
        let section = numbered.element
        json.beginObject()
        json.member("section", numbered.offset)
        json.member("sectionKey", section.key)
        json.member("firstItem", section.firstItem)
        json.member("items", section.itemCount)
        json.optionalMember("start", section.extent?.start.points)
        json.optionalMember("length", section.extent?.length.points)
        json.endObject()
      }
      json.endObject()
    }
  }

  private func printTable(_ listing: Listing) throws {
    var columns: [Table.Column] = [
      .number("section"), .text("key"), .number("first item"), .number("items"),
    ]
    if layout != nil { columns += [.number("start"), .number("length")] }
    var table = Table(columns)
    for (index, section) in listing.sections.enumerated() {
      var cells = [
        String(index), section.key, String(section.firstItem), String(section.itemCount),
      ]
      if let extent = section.extent {
        cells += [extent.start.description, extent.length.description]
      }
      table.add(cells)
    }
    try table.print()
  }
}
