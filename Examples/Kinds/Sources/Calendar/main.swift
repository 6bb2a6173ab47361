import Foundation
import LayoutCache

// Lays out a week of events, moves one, and opens the database again. The first argument is the
// database's path (default: a temporary file).

let path =
  CommandLine.arguments.dropFirst().first
  ?? FileManager.default.temporaryDirectory.appending(path: "\(UUID()).sqlite").path
let week = LayoutID("week", of: "calendar")

func event(_ key: String, _ day: Int, _ start: Double, _ end: Double) throws -> Item {
  try Item(
    key: key, width: 1, height: 1,
    data: ItemData(json: #"{"day":\#(day),"start":\#(start),"end":\#(end)}"#))
}

/// Prints the elements between two hours.
func printElements(of cache: LayoutCache, from start: Double, to end: Double) throws {
  let rect = Rect(x: 0, y: .points(start * 40), width: 390, height: .points((end - start) * 40))
  let page = try cache.read(week) { try $0.elements(in: rect) }
  print("from \(start) to \(end):")
  for element in page.elements {
    let frame = element.frame
    let text = "\(frame.minX), \(frame.minY), \(frame.size.width) x \(frame.size.height)"
    if case .cell(let key) = element.category {
      print("  \(key): \(text)")
    } else if let kind = element.representedElementKind, let number = element.indexPath.item {
      print("  \(kind) \(number): \(text)")
    }
  }
}

// A rule can be tested without a database.
let space = SectionSpace(container: Size(width: 390, height: 844), line: 0..<390)
let preview = try Week(options: [:], in: space).layOut([])
print("a week without events is \(preview.contentLength) points long")

var cache = try LayoutCache(path: path, sectionLayouts: [Week.self])
_ = try cache.importItems(into: "calendar", mode: .replace) { importer in
  for item in [
    try event("standup", 0, 9, 9.5), try event("review", 0, 10, 12),
    try event("lunch", 0, 11, 13), try event("call", 0, 12, 12.5),
    try event("dentist", 1, 10.5, 11.5),
  ] {
    try importer.add(item, section: "week 47")
  }
}
try cache.setLayout(
  week,
  to: ConfigurationText.decode(
    #"{"container":{"width":390},"section":{"kind":"week","options":{"hourLength":40}}}"#))
try printElements(of: cache, from: 10.5, to: 12.25)

// The position depends on the item's data, so a change of the data changes the layout.
let later = try ItemData(json: #"{"day":0,"start":13,"end":14}"#)
let commit = try cache.update(
  "calendar",
  with: [.move(key: "lunch", to: .after("call")), .data(key: "lunch", later)])
for change in commit.layouts {
  print("lunch is later: \(change.context.work.recomputedItems) events are placed again")
}
try printElements(of: cache, from: 10.5, to: 12.25)

// An item that the rule rejects is in the dataset; the layout stays at the revision before it.
let backwards = try cache.update(
  "calendar", with: [.insert([event("party", 6, 23, 22)], at: .end(section: "week 47"))])
for layout in backwards.behind { print(layout.reason) }
try cache.update("calendar", with: [.delete(keys: ["party"])])

// Another process would open the file in the same way.
try cache.close()
cache = try LayoutCache(path: path, sectionLayouts: [Week.self])
let report = try cache.verify()
print("opened again: \(report.itemCount) events, \(report.problems.count) problems")
try cache.close()
