import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetOrderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "order", abstract: "Sort a dataset by members of its items' data",
    discussion: """
      From then on the order places inserted items, and data that change an item's place move it. \
      Layouts are laid out from scratch; marks and measured lengths stay. This cannot be undone.

      Examples:
        layoutcache dataset order tate --order -acquired,title
        layoutcache dataset order tate --order title --sections -acquired:year
        layoutcache dataset order tate --order none
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", completion: .datasets, transform: datasetName)
  var name: String

  @OptionGroup var order: OrderOptions
  @OptionGroup var revision: ExpectedRevision

  func validate() throws {
    guard try order.stated != nil else { throw ValidationError("Missing the order: give --order") }
  }

  func run() throws {
    guard let stated = try order.stated else { return }
    let description = try database.withCache { cache in
      try cache.sortDataset(name, by: stated, expecting: revision.expect)
      return try cache.dataset(name)
    }
    let sentence = stated == nil ? "dataset '\(name)' has no order" : "sorted dataset '\(name)'"
    try output.print(sentence) { json in
      json.member("dataset", name)
      json.member("revision", description.revision)
      json.optionalMember("order", description.order?.members)
      json.optionalMember("sectionsBy", description.order?.sections)
    }
  }
}
