import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random lengths are set, reset and made ineffective for layouts of several kinds,
// and compared with a dictionary; the exported lengths are applied to another database.
//
// Invariants: the export equals the dictionary, each entry once and in order, and leads to
// equal frames.

@Suite struct MeasuredLengthExportTests {
  private static let layouts = [
    "phone": #"{"container":{"width":300},"section":{"columns":2,"header":20,"footer":9}}"#,
    "tags": #"""
    {"container":{"width":300},"section":{"kind":"flow"},
     "sections":{"b":{"kind":"grid","columns":3,"header":30}}}
    """#,
    "rows": #"{"container":{"width":300},"section":{"kind":"grid","columns":3}}"#,
  ]

  private struct Place: Hashable {
    var layout: String
    /// The item's key, or the section's after its kind.
    var name: String
  }

  private func feed() throws -> TestFeed {
    let feed = try TestFeed(["a", "b", "c"].map { .mixed($0, count: 40) })
    for (name, text) in Self.layouts {
      try feed.cache.setLayout(
        LayoutID(name, of: "feed"), to: ConfigurationText.decode(text))
    }
    return feed
  }

  private func given(_ feed: TestFeed) throws -> [(Place, Length, BatchOperation)] {
    var given: [(Place, Length, BatchOperation)] = []
    try feed.cache.forEachMeasuredLength(of: "feed") { operation in
      switch operation {
      case .prefer(let layout, let key, let length?, _):
        given.append((Place(layout: layout, name: key), length, operation))
      case .preferSupplementary(let layout, let kind, let section, let length?):
        given.append(
          (Place(layout: layout, name: "\(kind.rawValue) \(section)"), length, operation))
      default: Issue.record("\(operation) has no length")
      }
    }
    return given
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func exportedLengthsEqualTheMeasuredOnes(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let feed = try feed()
    var measured: [Place: Length] = [:]
    for step in PropertyRun.each(seed, steps: 40) {
      let section = ["a", "b", "c"].randomElement(using: &generator)!
      let key = "\(section)-\(Int.random(in: 0..<40, using: &generator))"
      let length: Length? =
        generator.oneIn(5) ? nil : .points(Double(Int.random(in: 1...90, using: &generator)))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let kind: LayoutAttributes.SupplementaryKind = generator.oneIn(2) ? .header : .footer
        try feed.cache.update(
          "feed",
          with: [
            .preferSupplementary(layout: "phone", kind: kind, section: section, length: length)
          ])
        measured[Place(layout: "phone", name: "\(kind.rawValue) \(section)")] = length
      case 1 where section == "b":
        try feed.cache.update(
          "feed",
          with: [
            .preferSupplementary(layout: "tags", kind: .header, section: "b", length: length)
          ])
        measured[Place(layout: "tags", name: "header b")] = length
      case 2:
        let size = try Item(key: "any", width: 7, height: Double(100 + step)).size
        try feed.cache.update("feed", with: [.resize(key: key, size: size)])
        for layout in Self.layouts.keys { measured[Place(layout: layout, name: key)] = nil }
      case 3 where section != "b":
        try feed.cache.update(
          "feed",
          with: [
            .prefer(layout: "tags", key: key, length: length, crossLength: length)
          ])
        measured[Place(layout: "tags", name: key)] = length
      default:
        try feed.cache.update(
          "feed", with: [.prefer(layout: "phone", key: key, length: length)])
        measured[Place(layout: "phone", name: key)] = length
      }
    }
    let given = try given(feed)
    #expect(given.count == measured.count)
    #expect(Dictionary(given.map { ($0.0, $0.1) }) { first, _ in first } == measured)
    try count(measured, feed, seed)
    // On another database of the same items they have the same effect.
    let copy = try self.feed()
    try feed.cache.forEachItem(of: "feed") { _, item in
      try copy.cache.update("feed", with: [.resize(key: item.key, size: item.size)])
    }
    try copy.cache.update("feed", with: given.map(\.2))
    let everything = Rect(x: .zero, y: .zero, width: .points(300), height: .points(1_000_000))
    for layout in Self.layouts.keys {
      let frames = try [feed, copy].map { feed in
        // Columns depend on the history; those of a layout from scratch do not.
        try feed.cache.update("feed", with: [.invalidate(layout: layout, everything: true)])
        return try feed.cache.read(LayoutID(layout, of: "feed")) {
          try $0.elements(in: everything).elements.map(\.frame)
        }
      }
      #expect(frames[0] == frames[1], "\(layout)")
    }
  }

  private func count(_ measured: [Place: Length], _ feed: TestFeed, _ seed: UInt64) throws {
    for layout in try feed.cache.inspect(dataset: "feed", countingMeasured: true).layouts {
      let names = measured.keys.filter { $0.layout == layout.name }.map(\.name)
      let headers = names.count { $0.hasPrefix("header ") }
      let footers = names.count { $0.hasPrefix("footer ") }
      let expected = MeasuredLengthCounts(
        items: names.count - headers - footers, headers: headers, footers: footers)
      #expect(layout.measured == expected)
    }
    #expect(try feed.cache.inspect(dataset: "feed").layouts.allSatisfy { $0.measured == nil })
  }

  /// Sections that have become a grid or lost their header, and deleted layouts.
  @Test func lengthsWithoutEffectAreNotExported() throws {
    let feed = try feed()
    try feed.cache.update(
      "feed",
      with: [
        .prefer(layout: "phone", key: "a-1", length: .points(5)),
        .prefer(layout: "phone", key: "b-1", length: .points(6)),
        .prefer(layout: "tags", key: "c-1", length: .points(7), crossLength: .points(8)),
        .preferSupplementary(layout: "phone", kind: .header, section: "a", length: .points(9)),
      ])
    #expect(try given(feed).count == 4)
    try feed.cache.setLayout(
      LayoutID("phone", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":300},"section":{"columns":2},"sections":{"b":{"kind":"grid"}}}"#))
    try feed.cache.removeLayout(LayoutID("tags", of: "feed"))
    #expect(try given(feed).map(\.2) == [.prefer(layout: "phone", key: "a-1", length: .points(5))])
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.forEachMeasuredLength(of: "none") { _ in }
    }
  }
}
