import Foundation
import LayoutCache

/// A line of the source: the new state of an item, or only the key of a deleted item.
struct Change: Decodable {
  var key: String
  var section: String?, width: Double?, height: Double?

  func operation() throws -> BatchOperation {
    guard let section, let width, let height else { return .delete(keys: [key], missing: .ignore) }
    let item = try UpsertedItem(key: key, width: width, height: height)
    return .upsert([item], section: section, moving: true)
  }
}

let cache = try LayoutCache(path: CommandLine.arguments[1])
let source = try FileHandle(forReadingFrom: URL(filePath: CommandLine.arguments[2]))
if try cache.datasets().isEmpty { try cache.createDataset("feed") }
while true {
  let position = try cache.dataset("feed").marks.first.flatMap { UInt64($0.position) } ?? 0
  try source.seek(toOffset: position)
  guard let text = try source.read(upToCount: 4096), let end = text.lastIndex(of: 10) else { break }
  let changes = try text[...end].split(separator: 10).map {
    try JSONDecoder().decode(Change.self, from: $0).operation()
  }
  let mark = BatchOperation.mark(source: "changes", position: "\(position + UInt64(end) + 1)")
  try cache.update("feed", with: changes + [mark])
}
