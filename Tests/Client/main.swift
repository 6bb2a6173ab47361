import Foundation
import LayoutCache

// A user's program, which uses only the library's public API. Compiling it is the main part of the
// test. It traps if a check fails.

func check(_ condition: Bool, _ message: String) {
  precondition(condition, message)
}

// Lengths are literals in points, and do not affect the types of other literals.
let gap: Length = 8
let column = (390 - gap * 3) * 1 - 0.5
check(column == 365.5 && -gap < 0 && [gap, column].sum() == .points(373.5), "lengths")
check(1.5 * 100 == 150, "numbers")

// A rule can be tested without a database.
let rule = try Column(
  options: ["gap": .number(8)],
  in: SectionSpace(container: Size(width: 390, height: 844), line: 8..<382))
let frames = try rule.frames(of: [
  LayoutItem(size: Size(width: 10, height: 20)), LayoutItem(size: Size(width: 10, height: 5)),
])
check("\(frames)" == "[(x 8, y 0, 374 x 20), (x 8, y 28, 374 x 5)]", "the rule's frames")

// A separate database, as in a user's tests.
let cache = try LayoutCache.temporary(sectionLayouts: [Column.self])
_ = try cache.importItems(into: "news", mode: .create) { importer in
  try importer.add(Item(key: "a", width: 4, height: 3), section: "today")
  try importer.add(Item(key: "b", width: 3, height: 4), section: "today")
}
var section = SectionOptions()
section.columns = 2
section.columnSpacing = 8
section.header = 44
let phone = LayoutID("phone", of: "news")
try cache.setLayout(
  phone,
  to: LayoutConfiguration(
    container: LayoutConfiguration.Container(width: 390, height: 844), section: section))

// Elements are values with a JSON form.
let elements = try cache.read(phone) { snapshot in
  try snapshot.elements(in: Rect(x: 0, y: 0, width: 390, height: 844)).elements
}
check(elements.count == 3, "elements")
check("\(elements[1])" == "cell 'a' at 0.0 (x 0, y 44, 191 x 143.25)", "\(elements[1])")
let path = LayoutAttributes.IndexPath(section: 0, item: 1)
check(elements[2].indexPath == path, "an index path")
let data = try JSONEncoder().encode(elements)
check(try JSONDecoder().decode([LayoutAttributes].self, from: data) == elements, "Codable")

// A switch over an enum that may gain cases has a default.
for element in elements {
  switch element.category {
  case .cell(let key): check(key == "a" || key == "b", "a cell")
  case .supplementary(let kind): check(kind == .header, "a header")
  case .decoration: check(false, "there is no background")
  @unknown default: check(false, "a category of a later version")
  }
}

let commit = try cache.update("news", with: [.resize(key: "a", size: Size(width: 4, height: 4))])
for change in commit.layouts {
  let data = try JSONEncoder().encode(change.context)
  let context = try JSONDecoder().decode(InvalidationContext.self, from: data)
  check(context == change.context && context.work.recomputedItems == 1, "a context")
}
do {
  try cache.update("news", with: [.delete(keys: ["z"])])
  check(false, "there is no item z")
} catch let error as LayoutCacheError {
  switch error.category {
  case .notFound: break
  case .usage, .conflict, .input, .inputOutput, .busy, .corrupt, .bug: check(false, "\(error)")
  @unknown default: check(false, "\(error)")
  }
}

// The name of a batch's operation differs from Foundation's; a commit has the command's JSON.
let batch: [BatchOperation] = [.delete(keys: ["a"])]
let last = try cache.update("news", with: batch)
check(last.dataset == phone.dataset && last.layouts.map(\.layout) == [phone.layout], "\(last)")
let json = try JSONEncoder().encode(last)
check(try JSONDecoder().decode(Commit.self, from: json) == last, "a commit's JSON")
try cache.close()
print("\(names.count) public types named; the library's face is as its users need it")
