import Foundation
import LayoutCache

// Lays out eight days of cards as a timeline, edits one card, and opens the database again. The
// first argument is the database's path (default: a temporary file).

let path =
  CommandLine.arguments.dropFirst().first
  ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path

func printElements(of cache: LayoutCache, from top: Double, to bottom: Double) throws {
  let rect = Rect(x: 0, y: .points(top), width: 390, height: .points(bottom - top))
  let page = try cache.read(LayoutID("phone", of: "diary")) { try $0.elements(in: rect) }
  print("from \(top) to \(bottom):")
  for element in page.elements {
    guard case .cell(let key) = element.category else { continue }
    let frame = element.frame
    print("  \(key): \(frame.minX), \(frame.minY), \(frame.size.width) x \(frame.size.height)")
  }
}

// The kind is registered when the database is opened.
var cache = try LayoutCache(path: path, sectionLayouts: [Timeline.self])
let summary = try cache.importItems(into: "diary", mode: .replace) { importer in
  for day in 1...8 {
    try importer.add(Item(key: "day \(day)", width: 300, height: 20, columnSpan: 0), section: "may")
    for card in 1...5 {
      let height = Double(40 + (day * 31 + card * 17) % 60)
      try importer.add(Item(key: "card \(day).\(card)", width: 100, height: height), section: "may")
    }
  }
}
print("imported \(summary.itemCount) items")
try cache.setLayout(
  LayoutID("phone", of: "diary"),
  to: ConfigurationText.decode(
    #"{"container":{"width":390},"section":{"kind":"timeline","options":{"gap":12}}}"#))
try printElements(of: cache, from: 500, to: 700)

// Cards are placed again up to the next date; the days after it only move.
let size = Size(width: 100, height: 150)
let commit = try cache.update("diary", with: [.resize(key: "card 3.2", size: size)])
for change in commit.layouts {
  print(
    "card 3.2 has grown: \(change.context.work.recomputedItems) items are placed again,",
    "the content is \(change.context.contentSizeAdjustment.height) points longer")
}
try printElements(of: cache, from: 500, to: 700)

// Another process would open the file in the same way.
try cache.close()
cache = try LayoutCache(path: path, sectionLayouts: [Timeline.self])
let report = try cache.verify()
print("opened again: \(report.itemCount) items, \(report.problems.count) problems")
try cache.close()
