import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: the layouts in `Layouts`, whose frames were computed by hand from the rules of
// each kind, are laid out by the engine and by the oracle.
//
// A block has the configuration, sections with the natural sizes of their items (and `span`, or
// measured `length` and `across`), offsets of carousels, the content size, and the elements of a
// rectangle, by default of the whole content: their keys, or @kinds with sections (- for those of
// the layout), and frames in points. Or it is `refused`.

@Suite struct LayoutTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Layouts")

  // A folder that cannot be read has no layouts, which the first test reports.
  private static let names =
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()

  @Test func eachKindHasLayouts() { #expect(Self.names.count >= 9) }

  @Test(arguments: names)
  func engineAndOraclePlaceElementsAsComputedByHand(name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: name), encoding: .utf8)
    let layouts = try TableLayout.all(in: text)
    #expect(layouts.count >= 8)
    for layout in layouts {
      let place = "\(name):\(layout.line)"
      if layout.isRefused {
        #expect(throws: OracleRefusal.self, "\(place)") {
          try Oracle(configuration: layout.configuration, sections: layout.sections)
        }
        #expect(throws: (any Error).self, "\(place)") {
          try TestFeed(layout.sections, configuration: layout.configuration).read { _ in }
        }
        continue
      }
      let oracle = try Oracle(configuration: layout.configuration, sections: layout.sections)
        .scrolled(to: layout.offsets)
      #expect(oracle.contentSize == layout.size, "oracle, \(place)")
      for query in layout.queries {
        compare(oracle.elements(in: query.rect, visible: query.visible), query, "oracle, \(place)")
      }
      let feed = try TestFeed(layout.sections, configuration: layout.configuration)
      try feed.cache.update("feed", with: layout.lengths)
      try feed.read { snapshot in
        let snapshot = snapshot.scrolled(to: CarouselOffsets(layout.offsets))
        let size = UnitRect(Rect(origin: .zero, size: snapshot.contentSize))
        #expect(size == UnitRect(x: 0, y: 0, layout.size), "engine, \(place)")
        for query in layout.queries {
          let found = try snapshot.elements(
            in: Rect(query.rect), visible: query.visible.map { Rect($0) }
          ).elements
          compare(found.map(OracleElement.init), query, "engine, \(place)")
        }
      }
    }
  }

  private func compare(_ found: [OracleElement], _ query: TableLayout.Query, _ place: String) {
    #expect(
      found.isEqual(to: query.elements, in: query.rect, transformTolerance: 1e-9),
      "\(place), \(query.rect): FOUND \(found) EXPECTED \(query.elements)")
  }
}

private struct TableLayout {
  struct Query {
    var rect: UnitRect
    var visible: UnitRect?
    var elements: [OracleElement] = []
  }

  private struct Malformed: Error { var line: Int }

  var line: Int
  var configuration: String
  var sections: [OracleSection] = []
  var offsets: [(key: String, offset: Int64)] = []
  var size = UnitSize(width: 0, height: 0)
  var queries: [Query] = []
  var isRefused = false

  /// The operations that measure the items.
  var lengths: [BatchOperation] {
    sections.flatMap(\.items).filter { $0.preferredLength != nil }.map { item in
      .prefer(
        layout: "layout", key: item.key, length: item.preferredLength.map { Length(units: $0) },
        crossLength: item.preferredCrossLength.map { Length(units: $0) })
    }
  }

  static func all(in text: String) throws -> [TableLayout] {
    var layouts: [TableLayout] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.hasPrefix("#") || line.isEmpty { continue }
      if line.hasPrefix("layout ") {
        layouts.append(TableLayout(line: index + 1, configuration: String(line.dropFirst(7))))
      } else if layouts.isEmpty
        || !layouts[layouts.count - 1].add(
          line.split(separator: " ").map(String.init), isIndented: line.hasPrefix("  "))
      {
        throw Malformed(line: index + 1)
      }
    }
    return layouts
  }

  private static func units(_ words: ArraySlice<String>) -> [Int64] {
    words.compactMap { Double($0).map { Int64($0 * 64) } }
  }

  private static func rect(_ words: ArraySlice<String>) -> UnitRect? {
    let units = units(words)
    if units.count != 4 { return nil }
    return UnitRect(x: units[0], y: units[1], width: units[2], height: units[3])
  }

  /// Adds the words of a line.
  ///
  /// - Returns: Whether the line is well formed.
  private mutating func add(_ words: [String], isIndented: Bool) -> Bool {
    if isIndented {
      guard let query = queries.indices.last else { return addItem(words) }
      guard let element = element(words) else { return false }
      queries[query].elements.append(element)
      return true
    }
    switch words[0] {
    case "section" where words.count == 2:
      sections.append(OracleSection(key: words[1], items: []))
    case "refused" where words.count == 1: isRefused = true
    case "offset" where words.count == 3:
      guard let offset = Self.units(words[2...]).first else { return false }
      offsets.append((words[1], offset))
    case "size" where words.count == 3:
      let units = Self.units(words[1...])
      guard units.count == 2 else { return false }
      size = UnitSize(width: units[0], height: units[1])
    case "elements" where words.count == 1:
      queries.append(Query(rect: UnitRect(x: 0, y: 0, size)))
    case "elements" where words.count >= 6:
      guard let rect = Self.rect(words[2..<6]) else { return false }
      queries.append(Query(rect: rect, visible: Self.rect(words.dropFirst(7))))
    default: return false
    }
    return true
  }

  private mutating func addItem(_ words: [String]) -> Bool {
    guard let section = sections.indices.last, words.count >= 2 else { return false }
    let size = words[1].split(separator: "x").compactMap { Double($0) }
    guard size.count == 2 else { return false }
    var item = OracleItem(key: words[0], width: size[0], height: size[1])
    for (name, value) in Self.pairs(words.dropFirst(2)) {
      guard let number = Double(value) else { return false }
      switch name {
      case "span": item.span = Int(number)
      case "length": item.preferredLength = Int64(number * 64)
      case "across": item.preferredCrossLength = Int64(number * 64)
      default: return false
      }
    }
    sections[section].items.append(item)
    return true
  }

  private static func pairs(_ words: ArraySlice<String>) -> [(String, String)] {
    stride(from: words.startIndex, to: words.endIndex - 1, by: 2).map { (words[$0], words[$0 + 1]) }
  }

  private static let supplementaryKinds: Set<String> = [
    "header", "footer", "layoutHeader", "layoutFooter", "filter", "tabs", "total", "a", "b", "c",
    "d",
  ]

  private func element(_ words: [String]) -> OracleElement? {
    let isCell = !words[0].hasPrefix("@")
    let rest = words.dropFirst(isCell ? 1 : 2)
    let section = sections.firstIndex { section in
      isCell ? section.items.contains { $0.key == words[0] } : section.key == words[1]
    }
    let isOfLayout = !isCell && words[1] == "-"
    guard section != nil || isOfLayout, let frame = Self.rect(rest.prefix(4)) else { return nil }
    let kind = isCell ? nil : String(words[0].dropFirst())
    var element = OracleElement(
      category: isCell
        ? .cell : Self.supplementaryKinds.contains(kind ?? "") ? .supplementary : .decoration,
      kind: kind, key: isCell ? words[0] : nil, section: section ?? OracleElement.noSection,
      sectionKey: section.map { sections[$0].key } ?? "",
      item: section.flatMap { sections[$0].items.firstIndex { $0.key == words[0] } }, frame: frame)
    element.isHidden = rest.contains("hidden")
    for (name, value) in Self.pairs(rest.dropFirst(4).filter { $0 != "hidden" }[...]) {
      switch name {
      case "column": element.column = Int(value)
      case "z": element.zIndex = Int(value) ?? 0
      case "alpha": element.alpha = Double(value) ?? 0
      case "transform":
        element.transform3D = value.split(separator: ",").compactMap { Double($0) }
      default: return nil
      }
    }
    return element
  }
}

extension UnitRect {
  fileprivate init(x: Int64, y: Int64, _ size: UnitSize) {
    self.init(x: x, y: y, width: size.width, height: size.height)
  }
}
