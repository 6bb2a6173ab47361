import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport

/// The contents of the files in `Stored`, which later versions must read. A file has every kind
/// of row except those of nodes, nodes stored as differences, and changes that only its log has.
struct StoredFixture {
  static let time: Int64 = 1_795_600_000_000

  private static let configurations = [
    "mixed": """
    {"container":{"width":300,"height":400},"sectionSpacing":3,
     "section":{"kind":"waterfall","columns":3,"columnSpacing":4,"lineSpacing":4,"maximumSkew":60,
       "header":20,"pinsHeader":true,"background":{"kind":"card"}},
     "styles":{"hero":{"kind":"carousel","itemWidth":{"fraction":0.8},"spacing":5},
       "lines":{"kind":"flow","minimumInteritemSpacing":3}},
     "sections":{"b":{"columns":2,"assignment":"exact"}}}
    """,
    "justified":
      #"{"container":{"width":300},"section":{"kind":"justified","targetRowLength":50}}"#,
    "grid": #"{"container":{"width":300},"section":{"kind":"grid","columns":4}}"#,
    "circle": """
    {"container":{"width":300},"section":{"kind":"circle","itemSize":{"width":20,"height":30}}}
    """,
    "any": """
    {"container":{"widths":{"step":8,"keep":4}},
     "section":{"kind":"waterfall","minimumColumnWidth":90,"header":9}}
    """,
  ]

  private static let layouts = [
    "mixed", "justified", "grid", "circle", "any@320", "any@640", "album",
  ]

  private static var request: IdempotentRequest {
    get throws { try IdempotentRequest(key: "order-7", owner: "shop", bodyHash: [1, 2, 3]) }
  }

  /// Small nodes, so that a small file has deep trees.
  static func open(_ path: String) throws -> LayoutCache {
    var options = LayoutCacheOptions()
    options.treeShapes = .tiny
    return try LayoutCache(path: path, options: options, clock: TestClock(milliseconds: time).clock)
  }

  /// Writes a file with this version.
  static func make(at path: String) throws {
    let cache = try open(path)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for (section, style) in [("a", nil), ("b", nil), ("c", "hero"), ("d", "lines")] {
        try importer.addSection(section, style: style)
        for index in 0..<24 { try importer.add(try item("\(section)\(index)"), section: section) }
      }
    }
    try cache.createDataset("empty")
    for (name, text) in configurations {
      try cache.setLayout(LayoutID(name, of: "feed"), to: ConfigurationText.decode(text))
    }
    try cache.setTemplate(
      LayoutTemplate(
        "albums", datasets: "fe*", layout: "album",
        configuration: ConfigurationText.decode(
          #"{"container":{"width":300},"section":{"columns":3}}"#)))
    try cache.setView(
      "some", of: "feed", to: DatasetView(where: "key STARTS WITH a", order: [.init(by: "n")]))
    try cache.setView("list", of: "feed", to: DatasetView(keys: ["b1", "a1", "none"]))
    for name in layouts { try cache.prepare(LayoutID(name, of: "feed")) }
    for (index, batch) in try batches.enumerated() {
      // The layouts catch up with the third batch, in a step that is a row of `contexts`.
      try cache.update("feed", with: batch, preparing: index == 2 ? .none : .upToDate)
      if index == 2 { for name in layouts { try cache.prepare(LayoutID(name, of: "feed")) } }
      if index < 4 { try cache.checkpoint() }
    }
    _ = try cache.update(
      "feed", with: [.delete(keys: ["d3"])], preparing: .none, once: request
    ) { Array("answer of revision \($0.revision)".utf8) }
    // Not closed: that would apply the log to the trees.
    let file = try RawDatabase(path: path)
    try file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
  }

  /// Every operation.
  private static var batches: [[BatchOperation]] {
    get throws {
      let data = try ItemData(json: #"{"title":"new","list":[1,{"a":null}]}"#)
      let new = try Item(key: "new", width: 30, height: 50, columnSpan: 2, data: data)
      return [
        [.resize(key: "a3", size: Size(width: 40, height: 90))],
        [.resize(key: "a3", size: Size(width: 40, height: 91)), .delete(keys: ["b4", "c9"])],
        [.prefer(layout: "mixed", key: "a12", length: 33)],
        [.resize(key: "a17", size: Size(width: 40, height: 500), columnSpan: 1)],
        [.insert([new], at: .index(2, section: "b")), .move(key: "a0", to: .end(section: "b"))],
        [.moveSection(key: "c", index: 0), .insertSection(key: "e", index: 1, style: "lines")],
        [.insert([try item("e0"), try item("e1")], at: .end(section: "e"))],
        [.data(key: "a11", data), .data(key: "a8", nil), .style(section: "d", style: nil)],
        [.upsert([.init(try item("a5"))], section: "a"), .deleteSection(key: "e")],
        [.mark(source: "orders", position: "7")],
        [.preferSupplementary(layout: "mixed", kind: .header, section: "a", length: 31)],
        [.preferLengths(layout: "mixed", [.init(key: "b1", length: 44)])],
        [.invalidate(layout: "mixed", items: ["a20"], sections: ["b"])],
        [.invalidate(layout: "grid", everything: true), .resetLengths(layout: "any@320")],
        [.rebalance(layout: "mixed", section: "a", from: "a15")],
        [
          .match(
            [.init(key: "d", items: try (0..<20).map { try item("d\($0 * 7 % 20)") })],
            missing: .keep)
        ],
      ]
    }
  }

  private static func item(_ key: String) throws -> Item {
    let number = key.utf8.reduce(0) { $0 * 31 + Int($1) }
    let data = number % 3 == 0 ? try ItemData(json: #"{"n":\#(number % 1000),"t":"é"}"#) : nil
    return try Item(
      key: key, width: Double(20 + number % 90), height: Double(15 + number % 71),
      columnSpan: number % 5 == 0 ? 2 : 1, data: data)
  }

  private static func words(for operation: BatchOperation) -> String {
    switch operation {
    case .prefer(let layout, let key, let length?, crossLength: nil):
      "\(layout) \(key) \(length.units)"
    case .preferSupplementary(let layout, let kind, let section, let length?):
      "\(layout) \(kind.rawValue) of \(section) \(length.units)"
    default: "\(operation)"
    }
  }

  /// Everything that a file answers, one fact per line.
  static func answers(of cache: LayoutCache) throws -> String {
    var lines: [String] = []
    for dataset in try cache.datasets() {
      lines.append("dataset \(dataset.name) \(dataset.revision) \(dataset.incarnation)")
      lines += dataset.marks.sorted { $0.source < $1.source }
        .map { "mark \($0.source) \($0.position)" }
    }
    try cache.forEachSection(of: "feed") {
      lines.append("section \($0.key) \($0.style ?? "-") \($0.itemCount)")
    }
    try cache.forEachItem(of: "feed") { section, item in
      lines.append(
        "item \(section) \(item.key) \(item.size.width.units) \(item.size.height.units) "
          + "\(item.columnSpan) \(item.data?.json ?? "-")")
    }
    try cache.forEachMeasuredLength(of: "feed") { lines.append("measured \(words(for: $0))") }
    for entry in try cache.log(of: "feed", limit: 100) {
      lines.append("commit \(entry.revision) \(entry.kind) \(entry.operationCount)")
    }
    for name in layouts { lines.append(try KnownAnswers.Answer(name, from: cache).line) }
    let repeated = try cache.update("feed", with: [], once: request, answer: nil)
    guard case .replayed(let revision, let answer?) = repeated else { return "no answer" }
    lines.append("request \(revision) \(String(decoding: answer, as: UTF8.self))")
    return lines.joined(separator: "\n") + "\n"
  }
}
