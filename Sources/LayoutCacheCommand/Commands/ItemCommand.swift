import ArgumentParser
import CollectionLayout
import LayoutCache
import TextFormats

struct ItemCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "item", abstract: "Print where a layout places an item, and what it carries",
    discussion: """
      Example:
        layoutcache item A00001 --layout phone
      """)

  @OptionGroup var database: DatabaseOptions
  @OptionGroup var layout: LayoutOptions
  @OptionGroup var output: FormatOption

  @Argument(help: "The item's key; put -- before one that starts with a dash")
  var key: String

  func run() throws {
    let element = try database.withCache { cache in
      let id = try layout.id(in: cache)
      return try cache.read(id) { snapshot in
        guard let element = try snapshot.attributes(forKey: key) else {
          throw LayoutCacheError(.noSuchKey(key, dataset: id.dataset))
        }
        return ElementAnswer(element, try snapshot.data(forKey: key))
      }
    }
    if output.json {
      try StandardOutput.printJSON { $0.value(element, ElementAnswer.fieldsInDetail) }
    } else {
      try StandardOutput.print(element, ElementAnswer.fieldsInDetail)
    }
  }
}
