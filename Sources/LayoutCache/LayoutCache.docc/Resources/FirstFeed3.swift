import LayoutCache

let cache = try LayoutCache(path: "feeds.sqlite")
_ = try cache.importItems(into: "news", mode: .replace) { importer in
  try importer.add(Item(key: "a", width: 4, height: 3), section: "today")
  try importer.add(Item(key: "b", width: 3, height: 4), section: "today")
  try importer.add(Item(key: "c", width: 1, height: 1), section: "today")
}
let phone = LayoutID("phone", of: "news")
try cache.setLayout(
  phone,
  to: LayoutConfiguration(
    container: .init(width: 390, height: 844), section: .waterfall(columns: 2, spacing: 8)))
