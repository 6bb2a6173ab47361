import Foundation
import LayoutCache

// Lays out pictures as a mosaic, inserts one, and prints the effect. The first argument is the
// database's path (default: a temporary file).

let path =
  CommandLine.arguments.dropFirst().first
  ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
let phone = LayoutID("phone", of: "pictures")

func printElements(of cache: LayoutCache, to end: Length) throws {
  let rect = Rect(x: 0, y: 0, width: 308, height: end)
  for element in try cache.read(phone, { try $0.elements(in: rect) }).elements {
    let frame = element.frame
    let text = "\(frame.minX), \(frame.minY), \(frame.size.width) x \(frame.size.height)"
    switch element.category {
    case .cell(let key): print("  \(key): \(text)")
    default: print("  \(element.representedElementKind ?? "") at \(element.indexPath): \(text)")
    }
  }
}

let cache = try LayoutCache(path: path, sectionLayouts: [Mosaic.self])
_ = try cache.importItems(into: "pictures", mode: .replace) { importer in
  for number in 0..<900 {
    let isHero = number % 9 == 3
    let badge = number == 4 ? try ItemData(json: #"{"badge":2}"#) : nil
    try importer.add(
      Item(
        key: isHero ? "hero \(number)" : "picture \(number)", width: 1, height: 1,
        columnSpan: isHero ? 2 : 1, data: badge), section: "all")
  }
}
try cache.setLayout(
  phone,
  to: ConfigurationText.decode(
    #"{"container":{"width":308},"section":{"kind":"mosaic","options":{"gap":4}}}"#))
print("the first rows:")
try printElements(of: cache, to: 300)

let new = try Item(key: "new", width: 1, height: 1)
let commit = try cache.update("pictures", with: [.insert([new], at: .before("picture 1"))])
for change in commit.layouts {
  print("one more: \(change.context.work.recomputedItems) pictures are placed again")
}
print("the first rows now:")
try printElements(of: cache, to: 300)
print("\(try cache.verify().problems.count) problems")
try cache.close()
