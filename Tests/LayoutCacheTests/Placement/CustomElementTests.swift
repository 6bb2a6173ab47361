import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: random batches on sections of a kind that reads everything. After each, every
// answer is compared with `layOut` of the items that the dataset lists, which worlds judge.

@Suite struct CustomElementTests {
  /// The dependencies of each section's kind.
  private static let options: [[String: ConfigurationValue]] = [
    ["lookahead": .number(2)],
    ["index": .bool(true), "data": .bool(true)],
    ["count": .bool(true), "lookahead": .number(1)],
    ["data": .bool(true), "lookahead": .number(3)],
    [:],
    ["index": .bool(true), "count": .bool(true), "data": .bool(true), "lookahead": .number(5)],
  ]

  private static func json(_ options: [String: ConfigurationValue]) -> String {
    let members = options.sorted { $0.key < $1.key }.map { name, value in
      "\"\(name)\":\(value.number.map { "\(Int($0))" } ?? "\(value.bool == true)")"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// The layouts, "a" and "b": sections "0" to "5" have options by their key, in "b" the next ones.
  private static func configuration(_ layout: String, _ members: String) -> String {
    let sections = (0..<6).map { number in
      let options = options[(number + (layout == "b" ? 1 : 0)) % 6]
      return "\"\(number)\":{\"options\":\(json(options))}"
    }
    return """
      {"container":{"width":200,"height":300},"sectionSpacing":7,\(members)
       "section":{"kind":"curious","header":20,"footer":10,
         "inset":{"top":6,"left":6,"bottom":6,"right":6},"background":{"kind":"card"}},
       "sections":{\(sections.joined(separator: ","))}}
      """
  }

  private struct ListedSection {
    var key: String
    /// The items, with their lengths in the layout "a" if they were measured.
    var items: [(item: Item, length: Length?)] = []
  }

  private func listed(_ cache: LayoutCache) throws -> [ListedSection] {
    var lengths: [String: Length] = [:]
    try cache.forEachMeasuredLength(of: "feed") { operation in
      if case .prefer("a", let key, let length, _) = operation { lengths[key] = length }
    }
    var sections: [ListedSection] = []
    try cache.forEachSection(of: "feed") { sections.append(ListedSection(key: $0.key)) }
    try cache.forEachItem(of: "feed") { key, item in
      let section = try #require(sections.firstIndex { $0.key == key })
      sections[section].items.append((item, lengths[item.key]))
    }
    return sections
  }

  private static func data(using random: inout SeededGenerator) throws -> ItemData? {
    random.oneIn(2)
      ? nil : try ItemData(json: #"{"n":\#(Int.random(in: 0...9, using: &random))}"#)
  }

  private static func item(_ key: String, using random: inout SeededGenerator) throws -> Item {
    try Item(
      key: key, width: Double(Int.random(in: 1...60, using: &random)),
      height: Double(Int.random(in: 1...60, using: &random)),
      columnSpan: random.oneIn(5) ? 2 : 1, data: data(using: &random))
  }

  /// Some operations, each on another item.
  ///
  /// - Parameter name: The start of the keys of inserted items.
  private static func batch(
    on sections: [ListedSection], _ name: String, using random: inout SeededGenerator
  ) throws -> [BatchOperation] {
    let keys = sections.flatMap(\.items).map(\.item.key).shuffled(using: &random)
    return try keys.prefix(.random(in: 1...5, using: &random)).enumerated().map { number, key in
      let section = sections.randomElement(using: &random)!.key
      let item = try Self.item("\(name)-\(number)", using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0...2: return .insert([item], at: .after(key))
      case 3: return .insert([item], at: .end(section: section))
      case 4, 5: return .delete(keys: [key])
      case 6, 7:
        let isFirst = random.oneIn(2)
        return .move(key: key, to: isFirst ? .index(0, section: section) : .end(section: section))
      case 8: return .resize(key: key, size: item.size, columnSpan: item.columnSpan)
      case 9: return .data(key: key, item.data)
      case 10:
        return .prefer(layout: "a", key: key, length: random.oneIn(3) ? nil : item.size.width)
      default:
        let index = Int.random(in: sections.indices, using: &random)
        return .moveSection(key: section, index: index)
      }
    }
  }

  /// All elements of a layout in canonical axes, and the content's length.
  private func elements(
    of sections: [ListedSection], layout: String, isHorizontal: Bool
  ) throws -> (elements: [LayoutAttributes], length: Length) {
    let cross: Length = isHorizontal ? 300 : 200
    var start = Length.zero
    var found: [LayoutAttributes] = []
    for (number, section) in sections.enumerated() {
      let options = Self.options[(Int(section.key)! + (layout == "b" ? 1 : 0)) % 6]
      let rule = CuriousKind(
        options: options,
        in: SectionSpace(
          container: isHorizontal
            ? Size(width: 300, height: 200) : Size(width: 200, height: 300),
          line: 6..<(cross - 6)))
      let tried = try rule.layOut(
        section.items.map { item, length in
          let size = item.size
          let number = item.data.flatMap { Double($0.json.dropFirst(5).dropLast()) }
          return LayoutItem(
            size: isHorizontal ? Size(width: size.height, height: size.width) : size,
            columnSpan: item.columnSpan, preferredLength: layout == "a" ? length : nil,
            data: number.map { ["n": .number($0)] })
        })
      let content = start + 26
      func add(
        _ category: LayoutAttributes.Category, _ item: Int?, _ frame: Rect, _ zIndex: Int = 0,
        _ alpha: Double = 1, _ isHidden: Bool = false, _ placed: PlacedItem? = nil
      ) {
        var attributes = LayoutAttributes(
          category: category, indexPath: IndexPath(section: number, item: item),
          sectionKey: section.key, frame: frame, zIndex: zIndex)
        attributes.alpha = alpha
        attributes.isHidden = isHidden
        attributes.transform3D = placed?.transform ?? .identity
        attributes.values = placed?.values ?? [:]
        found.append(attributes)
      }
      func moved(_ frame: Rect) -> Rect {
        var frame = frame
        frame.origin.y += content
        return frame
      }
      let length = tried.contentLength
      add(
        .decoration(kind: "card"), nil,
        Rect(x: 0, y: start + 20, width: cross, height: length + 12), -1)
      for own in tried.elements {
        add(own.kind.category, own.index, moved(own.frame), own.zIndex, own.alpha, own.isHidden)
      }
      add(.supplementary(kind: .header), nil, Rect(x: 0, y: start, width: cross, height: 20))
      for placed in tried.items {
        add(
          .cell(key: section.items[placed.index].item.key), placed.index, moved(placed.frame),
          placed.zIndex, placed.alpha, placed.isHidden, placed)
      }
      for (item, elements) in tried.cellElements.enumerated() where !tried.items[item].isHidden {
        for own in elements {
          add(own.kind.category, item, moved(own.frame), own.zIndex, own.alpha, own.isHidden)
        }
      }
      let end = start + 32 + length
      add(.supplementary(kind: .footer), nil, Rect(x: 0, y: end, width: cross, height: 10))
      start = end + 17
    }
    return (found, max(0, start - 7))
  }

  /// A cell with its position in its section.
  private struct Cell: Equatable {
    var section: String
    var attributes: LayoutAttributes
  }

  /// The cells of the layout "a" by key, from the start of their section.
  private func cells(
    of sections: [ListedSection], _ direction: String
  ) throws -> [String: Cell] {
    let all = try elements(
      of: sections, layout: "a", isHorizontal: direction.contains("horizontal")
    ).elements
    var starts: [Int: Length] = [:]
    for header in all where header.category == .supplementary(kind: .header) {
      starts[header.indexPath.section] = header.frame.minY
    }
    var cells: [String: Cell] = [:]
    for var cell in all {
      guard case .cell(let key) = cell.category else { continue }
      cell.untransformedFrame.origin.y -= starts[cell.indexPath.section] ?? 0
      cell.indexPath.section = 0
      cells[key] = Cell(section: cell.sectionKey, attributes: cell)
    }
    return cells
  }

  /// Every cell that is new, or has another index or position in its section, is named.
  private func expectNamed(
    _ cells: [String: Cell], _ before: [String: Cell], _ context: InvalidationContext,
    in sections: [String]
  ) throws {
    if context.invalidateEverything { return }
    for (key, cell) in cells where before[key] != cell {
      let section = try #require(sections.firstIndex(of: cell.section))
      let item = try #require(cell.attributes.indexPath.item)
      #expect(context.section(section)?.items.contains(item) == true, "\(key)")
    }
  }

  private static let directions = [
    "", #""layoutDirection":"rightToLeft","#, #""scrollDirection":"horizontal","#,
    #""scrollDirection":"horizontal","layoutDirection":"rightToLeft","#,
  ]

  private func expectAnswers(
    _ cache: LayoutCache, _ sections: [ListedSection], _ direction: String,
    using random: inout SeededGenerator
  ) throws {
    let isHorizontal = direction.contains("horizontal")
    for layout in ["a", "b"] {
      var (expected, length) = try elements(
        of: sections, layout: layout, isHorizontal: isHorizontal)
      let size = isHorizontal ? Size(width: length, height: 300) : Size(width: 200, height: length)
      for index in expected.indices {
        var frame = expected[index].untransformedFrame
        // The kind scales and translates.
        var transform = expected[index].transform3D
        if isHorizontal {
          (transform.m11, transform.m22) = (transform.m22, transform.m11)
          (transform.m41, transform.m42) = (transform.m42, transform.m41)
          frame = Rect(
            x: frame.minY, y: frame.minX, width: frame.size.height, height: frame.size.width)
        }
        if direction.contains("rightToLeft") {
          frame.origin.x = size.width - frame.minX - frame.size.width
          transform.m41 = -transform.m41
        }
        expected[index].untransformedFrame = frame
        expected[index].transform3D = transform
      }
      func number(_ range: ClosedRange<Int>) -> Length {
        .points(Double(Int.random(in: range, using: &random)))
      }
      let far = Int(max(size.width, size.height).points) + 20
      let rects = (0..<4).map { _ in
        Rect(
          x: number(-20...far), y: number(-20...far), width: number(1...150),
          height: number(1...150))
      }
      let whole = Rect(x: -50, y: -50, width: size.width + 100, height: size.height + 100)
      let limit = Int.random(in: 1...9, using: &random)
      try cache.read(LayoutID(layout, of: "feed")) { snapshot in
        #expect(snapshot.contentSize == size)
        try expectAnswers(snapshot, expected, to: [whole] + rects, limit: limit)
      }
    }
  }

  private func expectAnswers(
    _ snapshot: LayoutSnapshot, _ expected: [LayoutAttributes], to rects: [Rect], limit: Int
  ) throws {
    for rect in rects {
      let wanted = expected.filter { !$0.isHidden && $0.frame.intersects(rect) }
      expectEqual(try snapshot.elements(in: rect).elements, wanted)
      var pages: [LayoutAttributes] = []
      var next: Continuation?
      repeat {
        let page =
          try next.map { try snapshot.elements(after: $0) }
          ?? snapshot.elements(in: rect, limit: limit)
        #expect(page.elements.count == limit || page.next == nil)
        pages += page.elements
        next = page.next.flatMap { Continuation(token: $0.token) }
      } while next != nil
      expectEqual(pages, wanted)
      let top = expected.filter {
        !$0.isHidden
          && $0.frame.intersects(
            Rect(origin: rect.origin, size: Size(width: 0.015625, height: 0.015625)))
      }.enumerated().max { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
      #expect(try snapshot.element(at: rect.origin) == top?.element)
    }
    for element in expected {
      let path = element.indexPath
      let found =
        switch element.category {
        case .cell: try snapshot.attributes(at: path)
        case .supplementary(let kind):
          try snapshot.attributes(forSupplementary: kind, at: path)
        case .decoration(let kind): try snapshot.attributes(forDecoration: kind, at: path)
        }
      #expect(found == element)
    }
  }

  private func expectEqual(
    _ found: [LayoutAttributes], _ wanted: [LayoutAttributes]
  ) {
    #expect(found.count == wanted.count)
    let difference = zip(found, wanted).first { $0 != $1 }
    #expect(difference?.0 == difference?.1)
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func answersEqualThoseOfTheRule(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let direction = Self.directions[Int(seed % 4)]
    let folder = try TemporaryDirectory()
    let path = folder.path(of: "feed.sqlite")
    let options = LayoutCacheOptions.randomShapes(using: &random)
    var caches = try (0..<2).map { _ in
      try LayoutCache(path: path, options: options, sectionLayouts: TestKinds.all)
    }
    _ = try caches[0].importItems(into: "feed", mode: .create) { importer in
      for section in 0..<6 { try importer.addSection("\(section)") }
      for number in 0..<120 {
        try importer.add(Self.item("k\(number)", using: &random), section: "\(number % 5)")
      }
    }
    for layout in ["a", "b"] {
      try caches[0].setLayout(
        LayoutID(layout, of: "feed"),
        to: ConfigurationText.decode(Self.configuration(layout, direction)))
    }
    for step in PropertyRun.each(seed, steps: 6) {
      if step == 3 {
        try caches[1].close()
        caches[1] = try LayoutCache(path: path, options: options, sectionLayouts: TestKinds.all)
      }
      let before = try cells(of: listed(caches[0]), direction)
      let revision = try caches[0].dataset("feed").revision
      for number in 0..<Int.random(in: 1...3, using: &random) {
        let batch = try Self.batch(on: listed(caches[0]), "\(step)-\(number)", using: &random)
        let commit = try caches[Int.random(in: 0...1, using: &random)].update(
          "feed", with: batch, preparing: [.inUse, .none, .upToDate].randomElement(using: &random)!)
        #expect(commit.behind.isEmpty)
      }
      let sections = try listed(caches[step % 2])
      try expectAnswers(caches[step % 2], sections, direction, using: &random)
      let changes = try caches[step % 2].changes(of: "feed", since: revision, layout: "a")
      try expectNamed(
        try cells(of: sections, direction), before, changes.layouts[0].context,
        in: sections.map(\.key))
    }
    #expect(try caches[0].verify().problems.isEmpty)
  }
}
