import ArgumentParser
import LayoutCache
import TextFormats

struct DatasetCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an empty dataset",
    discussion: """
      Examples:
        layoutcache dataset create art
        layoutcache dataset create album --order -taken_at,name --sections -taken_at:month
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The dataset's name", transform: datasetName)
  var name: String

  @OptionGroup var order: OrderOptions

  func validate() throws { _ = try order.stated }

  func run() throws {
    let description = try database.withCache(createsFile: true) { cache in
      try cache.createDataset(name, order: order.stated ?? nil)
      return try cache.dataset(name)
    }
    try output.print("created dataset '\(name)'") { json in
      json.member("dataset", name)
      json.member("revision", description.revision)
      json.member("incarnation", description.incarnation.rawValue)
    }
  }
}
