import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import Logging

@testable import LayoutCache

/// A small dataset, "feed", with some layouts. Files to be damaged are copies of it.
struct HostileFixture: CustomStringConvertible {
  /// The layouts, and the members of `section` of each.
  let layouts: [String: String]
  /// Whether nodes are small, so that a few items make deep trees.
  let isDeep: Bool
  /// Whether the log has changes that the trees lack.
  let hasTail: Bool

  static let sectionKeys = ["a", "b", "c"]
  static let itemCount = 75

  static let all: [HostileFixture] = [waterfalls, spanning, lines, others].flatMap { layouts in
    [(true, true), (true, false), (false, true), (false, false)].map {
      HostileFixture(layouts: layouts, isDeep: $0, hasTail: $1)
    }
  }

  private static let waterfalls = [
    "stable": #""columns":3,"lineSpacing":4,"maximumSkew":40"#,
    "exact": #""columns":2,"assignment":"exact","lineSpacing":2,"header":9"#,
    "wide": #""columns":12,"assignment":"exact","ties":"cursor""#,
  ]
  private static let spanning = [
    "spans": #""columns":5,"lineSpacing":3,"maximumSkew":10,"footer":7"#,
    "exact spans": #""columns":4,"assignment":"exact""#,
    "wide spans": #""columns":11,"ties":"cursor","tolerance":4"#,
  ]
  private static let lines = [
    "flow": #""kind":"flow","minimumInteritemSpacing":3,"minimumLineSpacing":5"#,
    "justified": #""kind":"justified","targetRowLength":50,"spacing":5"#,
    "carousel": #""kind":"carousel","spacing":5"#,
  ]
  private static let others = [
    "grid": #""kind":"grid","columns":3,"columnSpacing":3,"lineSpacing":5"#,
    "circle": #""kind":"circle","itemSize":{"width":20,"height":30}"#,
    "custom": #""kind":"stack","options":{"gap":3}"#,
    "state": #""kind":"turn""#,
  ]

  var description: String {
    "\(layouts.keys.sorted()), \(isDeep ? "deep" : "flat"), \(hasTail ? "with" : "without") a tail"
  }

  var options: LayoutCacheOptions {
    var options = LayoutCacheOptions()
    if isDeep { options.treeShapes = .tiny }
    return options
  }

  func open(_ path: String) throws -> LayoutCache {
    try LayoutCache(
      path: path, options: options, sectionLayouts: TestKinds.all + [Turn.self],
      logger: Logger(label: "hostile") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Creates the file.
  func make(at path: String) throws {
    let cache = try open(path)
    let hasSpans = layouts.keys.contains("spans")
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for (section, key) in Self.sectionKeys.enumerated() {
        for index in stride(from: section, to: Self.itemCount, by: Self.sectionKeys.count) {
          let span = hasSpans ? [1, 2, 1, 0, 3][index % 5] : 1
          let data = index % 4 == 0 ? nil : try ItemData(json: #"{"n":\#(index),"t":"x"}"#)
          try importer.add(
            Item(
              key: "k\(index)", width: Double(20 + index * 7919 % 90),
              height: Double(15 + index * 104_729 % 70), columnSpan: span, data: data),
            section: key)
        }
      }
    }
    for (name, members) in layouts {
      let text = """
        {"container":{"width":200,"height":150},"sectionSpacing":3,"section":{\(members)}}
        """
      try cache.setLayout(LayoutID(name, of: "feed"), to: ConfigurationText.decode(text))
      try cache.prepare(LayoutID(name, of: "feed"))
    }
    // The first layout lags.
    try cache.update("feed", with: [.delete(keys: ["k4"])], preparing: .none)
    for name in layouts.keys.sorted().dropFirst() { try cache.prepare(LayoutID(name, of: "feed")) }
    // Nodes stored as differences, some from other differences.
    for height in [44, 71] {
      let resizes = ["k3", "k31", "k50"].map {
        BatchOperation.resize(key: $0, size: Size(width: 40, height: .points(Double(height))))
      }
      try cache.update("feed", with: resizes, preparing: .upToDate)
      try cache.checkpoint()
    }
    if hasTail { for batch in try tail { try cache.update("feed", with: batch) } }
    // Not closed: closing would apply the tail to the trees.
  }

  private var tail: [[BatchOperation]] {
    get throws {
      let last = layouts.keys.sorted()[layouts.count - 1]
      let measuring = layouts.keys.sorted().first {
        !["circle", "grid", "justified"].contains($0)
      }
      let data = try ItemData(json: #"{"title":"new","list":[1,{"a":null}]}"#)
      let item = try Item(key: "new", width: 30, height: 50, data: data)
      return [
        [.insert([item], at: .index(2, section: "b")), .delete(keys: ["k7", "k10"])],
        [.move(key: "k0", to: .end(section: "c")), .moveSection(key: "c", index: 0)],
        [.resize(key: "k11", size: Size(width: 40, height: 90), columnSpan: 2)],
        [.data(key: "k11", data), .data(key: "k13", nil), .data(key: "k8", data)],
        [
          .prefer(layout: measuring ?? last, key: "k12", length: 33),
          .insertSection(key: "d", index: 1),
        ],
        [.insert([try Item(key: "other", width: 10, height: 10)], at: .end(section: "d"))],
        [.rebalance(layout: last, section: "a", from: "k15"), .deleteSection(key: "d")],
        [.invalidate(layout: last, items: ["k20"], sections: ["b"])],
        [.invalidate(layout: last, everything: true)],
      ]
    }
  }

  /// A kind whose state can be any number.
  struct Turn: SectionLayout {
    static let kind = "turn"

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}

    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      let turn = (state.first ?? 0) &+ 1
      state = [turn]
      return ItemPlacement(
        frame: Rect(
          x: Length(units: turn & 255), y: .zero, width: item.size.width,
          height: item.size.height), advance: item.size.height, zIndex: Int(turn & 7) - 3,
        alpha: turn & 1 == 0 ? 1 : 0.25, isHidden: turn & 3 == 0)
    }
  }
}
