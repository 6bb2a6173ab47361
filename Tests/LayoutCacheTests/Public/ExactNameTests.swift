import CollectionLayout
import LayoutCache
import LayoutGeometry
import Testing

/// Names and keys that are equal by Unicode and differ in bytes are two names, everywhere.
@Suite struct ExactNameTests {
  /// Canonically equivalent spellings: a composed letter, a letter with a separate code point,
  /// a syllable.
  static let pairs = [
    ("caf\u{E9}", "cafe\u{301}"), ("\u{212B}", "\u{C5}"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
  ]

  private let cache: LayoutCache

  init() throws { cache = try LayoutCache.temporary() }

  /// Creates a dataset of a section and an item per spelling.
  private func makeFeed(_ name: String, _ keys: [String]) throws {
    _ = try cache.importItems(into: name, mode: .create) { importer in
      for (index, key) in keys.enumerated() {
        try importer.addSection(key, style: key)
        let length = Double(10 * (index + 1))
        try importer.add(Item(key: key, width: length, height: length), section: key)
      }
    }
  }

  private func set(_ layout: LayoutID, width: String, _ more: String = "") throws {
    try cache.setLayout(
      layout,
      to: ConfigurationText.decode(
        #"{"container":{\#(width)},"section":{"columns":1,"itemLength":"natural"}\#(more)}"#))
  }

  private func width(_ layout: LayoutID) throws -> Double {
    try cache.read(layout) { $0.contentSize.width.points }
  }

  @Test(arguments: pairs) func layouts(one: String, other: String) throws {
    try #require(one == other)
    try makeFeed("feed", [one, other])
    let (first, second) = (LayoutID(one, of: "feed"), LayoutID(other, of: "feed"))
    try set(first, width: #""width":390"#)
    try set(second, width: #""width":768"#)
    for _ in 0..<2 { #expect(try [width(first), width(second)] == [390, 768]) }
    #expect(try cache.layouts(of: "feed").count == 2)
    // The second item is visible, and the first one grows: in one of the layouts.
    let visible = Rect(x: 0, y: 15, width: 1, height: 5)
    try cache.update("feed", with: [.prefer(layout: one, key: one, length: 30)])
    let commit = try cache.update(
      "feed", with: [.resize(key: one, size: Size(width: 1, height: 20))], visible: visible,
      preparing: .named([first.layout, second.layout]))
    #expect(commit.layouts.count == 2)
    #expect(commit.layouts[one]?.context.contentSizeAdjustment.height == -10)
    #expect(commit.layouts[other]?.context.contentSizeAdjustment.height == 10)
    let invalidated = try cache.update(
      "feed", with: [.invalidate(layout: other, everything: true)], visible: visible)
    #expect(invalidated.layouts.map { ExactKey($0.layout) } == [ExactKey(other)])
    try cache.renameLayout(first, to: "third")
    #expect(throws: LayoutCacheError.self) { try width(first) }
    #expect(try [width(LayoutID("third", of: "feed")), width(second)] == [390, 768])
    try cache.removeLayout(second)
    #expect(throws: LayoutCacheError.self) { try width(second) }
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test(arguments: pairs) func variants(one: String, other: String) throws {
    try makeFeed("feed", [one, other])
    for (name, step) in [(one, 8), (other, 100)] {
      try set(LayoutID(name, of: "feed"), width: #""widths":{"step":\#(step),"keep":2}"#)
    }
    let widths = try [one, other].map { try width(LayoutID("\($0)@399", of: "feed")) }
    #expect(widths == [392, 300])
    try cache.removeLayout(LayoutID(one, of: "feed"))
    #expect(throws: LayoutCacheError.self) { try width(LayoutID("\(one)@399", of: "feed")) }
    #expect(try width(LayoutID("\(other)@399", of: "feed")) == 300)
  }

  @Test(arguments: pairs) func sectionsStylesAndItems(one: String, other: String) throws {
    try makeFeed("feed", [one, other])
    let layout = LayoutID("layout", of: "feed")
    func headers() throws -> [Double] {
      try cache.read(layout) { snapshot in
        try [one, other].map {
          let index = try #require(try snapshot.attributes(forKey: $0)).indexPath.section
          let header = try snapshot.attributes(forSupplementary: .header, inSection: index)
          return header?.frame.size.height.points ?? 0
        }
      }
    }
    for members in ["sections", "styles"] {
      let options = #"{"\#(one)":{"header":1},"\#(other)":{"header":2}}"#
      try set(layout, width: #""width":100"#, #","\#(members)":\#(options)"#)
      #expect(try headers() == [1, 2])
      let stored = try cache.layout(layout).configuration
      #expect(try ConfigurationText.decode(ConfigurationText.encode(stored)) == stored)
      // The texts of two configurations can be equal by Unicode too.
      try set(layout, width: #""width":100"#, #","\#(members)":{"\#(one)":{"header":3}}"#)
      #expect(try headers() == [3, 0])
      try set(layout, width: #""width":100"#, #","\#(members)":{"\#(other)":{"header":3}}"#)
      #expect(try headers() == [0, 3])
    }
    try cache.update("feed", with: [.style(section: one, style: other), .delete(keys: [other])])
    #expect(try cache.item(forKey: one, of: "feed") != nil)
    #expect(try cache.item(forKey: other, of: "feed") == nil)
    #expect(try cache.verify().problems.isEmpty)
  }

  @Test(arguments: pairs) func datasetsAndRequests(one: String, other: String) async throws {
    for (name, keys) in [(one, [one]), (other, [one, other])] { try makeFeed(name, keys) }
    #expect(try [one, other].map { try cache.dataset($0).itemCount } == [1, 2])
    let commits = try await cache.commits(of: other)
    try cache.update(one, with: [.delete(keys: [one])])
    try cache.update(other, with: [.delete(keys: [other])])
    for (source, position) in [(one, other), (other, one), (one, one)] {
      let commit = try cache.update(other, with: [.mark(source: source, position: position)])
      #expect(!commit.isRepeated)
    }
    for try await event in commits {
      guard case .commit(let commit) = event else { continue }
      #expect(ExactKey(commit.dataset) == ExactKey(other))
      if commit.revision == 5 { break }
    }
    try cache.removeDataset(one)
    #expect(throws: LayoutCacheError.self) { try cache.dataset(one) }
    #expect(try cache.dataset(other).itemCount == 1)
  }

  @Test(arguments: pairs) func listeners(one: String, other: String) async throws {
    try makeFeed("feed", [one])
    for (name, width) in [(one, 1), (other, 2)] {
      try set(LayoutID(name, of: "feed"), width: #""width":\#(width)"#)
      try cache.prepare(LayoutID(name, of: "feed"))
    }
    let streams = [
      try await cache.commits(of: "feed", layouts: [one]),
      try await cache.commits(of: "feed", layouts: [other]),
    ]
    try cache.update("feed", with: [.resize(key: one, size: Size(width: 1, height: 20))])
    for (name, stream) in zip([one, other], streams) {
      for try await event in stream {
        guard case .commit(let commit) = event else { continue }
        #expect(commit.layouts.map { ExactKey($0.layout) } == [ExactKey(name)])
        break
      }
    }
  }
}
