import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Observers of elements, each compared with the model's.
extension World {
  /// Compares answers, of which transformed elements may differ by rounding.
  func compare(
    _ found: [LayoutAttributes], _ expected: [OracleElement], in rect: UnitRect, _ origin: String
  ) throws {
    let found = found.map(OracleElement.init)
    if found.isEqual(to: expected, in: rect, transformTolerance: 1e-9) { return }
    let pair = zip(found, expected).first { $0 != $1 }
    let text = pair.map { "FOUND \($0) EXPECTED \($1)" }
    throw Difference(
      description: "\(origin): \(text ?? "FOUND \(found.count) EXPECTED \(expected.count)")")
  }

  /// Sometimes scrolls a layout's carousels.
  private func scrolled(
    _ snapshot: LayoutSnapshot, _ oracle: Oracle
  ) -> (snapshot: LayoutSnapshot, oracle: Oracle) {
    if generator.oneIn(2) { return (snapshot, oracle) }
    let offsets = RandomOffsets.next(for: oracle, using: &generator)
    record("at \(offsets)")
    return (snapshot.scrolled(to: CarouselOffsets(offsets)), oracle.scrolled(to: offsets))
  }

  func compareAll(_ snapshot: LayoutSnapshot, _ oracle: Oracle) throws {
    let size = oracle.contentSize
    #expect(
      snapshot.contentSize
        == Size(width: .init(units: size.width), height: .init(units: size.height)))
    let rect = UnitRect(x: 0, y: 0, width: size.width, height: size.height)
    let page = try snapshot.elements(in: Rect(rect))
    #expect(page.next == nil)
    try compare(page.elements, oracle.elements(in: rect), in: rect, "all elements")
  }

  /// All elements of most layouts of a dataset.
  func observeElements() throws {
    let (dataset, cache) = (anyDataset(), anyCache())
    for layout in datasets[dataset].model.layouts.indices where !generator.oneIn(3) {
      try read(Place(dataset: dataset, layout: layout), by: cache) { snapshot, oracle in
        // An incarnation, a revision and a direction name one answer, whichever cache gives it.
        let (key, elements) = (
          "\(snapshot.incarnation) \(snapshot.revision) \(snapshot.layoutDirection)",
          OracleElement.all(of: oracle)
        )
        if let known = answers.updateValue(elements, forKey: key) {
          #expect(known == elements, "two answers of \(key)")
          count("known answer")
        }
        let (snapshot, oracle) = scrolled(snapshot, oracle)
        try compareAll(snapshot, oracle)
      }
    }
  }

  /// The last result, which may be by the configuration before.
  func observeLastResult() throws {
    let (place, cache) = (anyPlace(), anyCache())
    record("\(cache) reads the last result of \(id(place))")
    try caches[cache].read(id(place), freshness: .last) { snapshot in
      if !snapshot.isOutdated { try datasets[place.dataset].prepare(place.layout) }
      let model = datasets[place.dataset].model
      #expect(snapshot.revision == model.revision)
      try compareAll(snapshot, model.layouts[place.layout].feed.oracle)
    }
  }

  func observeRects() throws {
    let place = anyPlace()
    try read(place) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      let rects = RandomRects(oracle)
      let isVertical = oracle.isVertical
      var (rect, frames) = (rects.next(using: &generator), oracle.allElements().map(\.frame))
      for _ in 0..<6 {
        // The next rectangle is anywhere, or scrolled, often to the edge of an element in it.
        let distance = Int64.random(in: -6400...6400, using: &generator)
        switch (Int.random(in: 0..<4, using: &generator), frames.randomElement(using: &generator)) {
        case (0, _): rect = rects.next(using: &generator)
        case (1, let frame?) where isVertical: rect.y = frame.maxY
        case (1, let frame?): rect.x = frame.maxX
        case (2, let frame?) where isVertical: rect.y = frame.y - rect.height
        case (2, let frame?): rect.x = frame.x - rect.width
        case _ where isVertical: rect.y += distance
        default: rect.x += distance
        }
        let visible = generator.oneIn(3) ? rects.next(using: &generator) : nil
        let expected = oracle.elements(in: rect, visible: visible)
        let origin = "\(rect), visible \(String(describing: visible))"
        var page = try snapshot.elements(in: Rect(rect), visible: visible.map { Rect($0) })
        try compare(page.elements, expected, in: rect, origin)
        if page.work.nodesVisited == 0, !page.elements.isEmpty { count("stored answer") }
        if !expected.isEmpty { frames = expected.map(\.frame) }
        // Pages replace the stored answer, from which a client scrolls on.
        guard generator.oneIn(2) else { continue }
        let whole = page.elements
        let limit = Int.random(in: 1...(expected.count + 1), using: &generator)
        page = try snapshot.elements(
          in: Rect(rect), visible: visible.map { Rect($0) }, limit: limit)
        var paged = page.elements
        while let next = page.next {
          count("paged")
          // Encoded and decoded, as by a client.
          page = try snapshot.elements(after: #require(Continuation(token: next.token)))
          #expect(!page.elements.isEmpty && page.elements.count <= limit)
          paged += page.elements
        }
        if paged != whole {
          throw Difference(description: "\(origin): pages of \(limit) differ from the answer")
        }
      }
    }
  }

  func observePoints() throws {
    try read(anyPlace()) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      let rects = RandomRects(oracle)
      for _ in 0..<6 {
        let rect = rects.next(using: &generator)
        let point = Point(x: Length(units: rect.x), y: Length(units: rect.y))
        let topmost = try snapshot.element(at: point)
        #expect(
          topmost.map(OracleElement.init)
            == oracle.element(at: UnitPoint(x: rect.x, y: rect.y)), "\(point)")
        let visible = rects.next(using: &generator)
        let seen = try snapshot.element(at: point, visible: Rect(visible))
        let expected = oracle.element(at: UnitPoint(x: rect.x, y: rect.y), visible: visible)
        try compare(
          [seen].compactMap(\.self), [expected].compactMap(\.self),
          in: UnitRect(x: rect.x, y: rect.y, width: 1, height: 1), "\(point) in \(visible)")
      }
    }
  }

  /// Runs of items forward and backward, and the items at or after positions.
  func observeRuns() throws {
    let place = anyPlace()
    try read(place) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      let placed = oracle.allElements().filter { $0.category == .cell && !$0.isCollapsed }
      let cells = placed.filter { !$0.isHidden }
      for _ in 0..<3 {
        guard let index = cells.indices.randomElement(using: &generator) else { break }
        let count = Int.random(in: 1...(cells.count + 1), using: &generator)
        let onward = try snapshot.elements(
          from: .init(section: cells[index].section, item: cells[index].item), count: count)
        #expect(onward.elements.map(OracleElement.init) == Array(cells[index...].prefix(count)))
        try expectEnd(onward, isReached: index + count - cells.count, in: snapshot)
        let back = try snapshot.elements(
          fromKey: #require(cells[index].key), count: count, backward: true)
        #expect(
          back.elements.map(OracleElement.init) == Array(cells[...index].reversed().prefix(count)))
        try expectEnd(back, isReached: count - index - 1, in: snapshot)
      }
      let space = WorldSpace(oracle)
      let ends = placed.map { space.end(of: $0.laidOut) }
      for _ in 0..<4 {
        var position = (ends.randomElement(using: &generator) ?? 0)
        position += .random(in: -2...2, using: &generator)
        let found = try snapshot.item(atOrAfter: Length(units: position))
        let expected = ends.firstIndex { $0 > position }.map { placed[$0] }
        #expect(found.map(OracleElement.init) == expected, "at \(position)")
      }
    }
  }

  /// - Parameter beyond: The number of missing cells, which is negative if there are more.
  private func expectEnd(
    _ page: ElementsPage, isReached beyond: Int, in snapshot: LayoutSnapshot
  ) throws {
    if beyond != 0 { return #expect((page.next == nil) == (beyond > 0)) }
    // After the last cell there may be hidden items.
    guard let next = page.next else { return }
    let last = try snapshot.elements(after: next)
    #expect(last.elements.isEmpty && last.next == nil)
  }

  func observeLookups() throws {
    let place = anyPlace()
    try read(place) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      let elements = oracle.allElements()
      for element in elements.shuffled(using: &generator).prefix(8) {
        switch (element.category, element.kind, element.key, element.item) {
        case (.cell, _, let key?, let item?):
          let path = LayoutAttributes.IndexPath(section: element.section, item: item)
          #expect(try snapshot.indexPath(ofKey: key) == path)
          #expect(try snapshot.attributes(forKey: key).map(OracleElement.init) == element)
          #expect(try snapshot.attributes(at: path).map(OracleElement.init) == element)
          let data = datasets[place.dataset].data[ExactKey(key)]
          #expect(try snapshot.data(forKey: key) == data)
          #expect(try snapshot.data(at: path) == data)
        case (.decoration, let kind?, _, let item):
          let found = try snapshot.attributes(
            forDecoration: kind, at: .init(section: element.section, item: item))
          #expect(found.map(OracleElement.init) == element)
        case (.supplementary, let kind?, _, let item):
          let found = try snapshot.attributes(
            forSupplementary: .init(rawValue: kind),
            at: .init(section: element.section, item: item))
          #expect(found.map(OracleElement.init) == element)
        default: break
        }
      }
      for (section, summary) in oracle.sectionsSummary.enumerated() {
        for kind in [LayoutAttributes.SupplementaryKind.header, .footer] {
          let found = try snapshot.attributes(forSupplementary: kind, inSection: section)
          #expect(
            found.map(OracleElement.init)
              == oracle.supplementary(kind: kind.rawValue, section: section))
        }
        let keys = elements.filter { $0.section == section }.compactMap(\.key)
        let range = 0..<Int.random(in: 0...(keys.count + 2), using: &generator)
        let found = try snapshot.keys(ofItems: range, inSection: section)
        #expect(found == Array(keys.prefix(range.count)))
        #expect(try snapshot.sectionIndex(forKey: summary.key) == section)
      }
      #expect(try snapshot.attributes(forKey: "no such key") == nil)
      let all = try snapshot.elements(in: Rect(RandomRects.everything)).elements
      let data = datasets[place.dataset].data
      let found = try snapshot.data(of: all).data
      #expect(
        found
          == all.map { if case .cell(let key) = $0.category { data[ExactKey(key)] } else { nil } })
    }
  }

  func observeSections() throws {
    let place = anyPlace()
    try read(place) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      var extents: [OracleSectionSummary] = []
      var styles: [String?] = []
      try snapshot.forEachSection { extent in
        styles.append(extent.style)
        extents.append(
          OracleSectionSummary(
            key: extent.key, firstItem: extent.firstItem, count: extent.itemCount,
            start: extent.start.units, length: extent.length.units,
            carousel: extent.carousel.map(OracleSectionSummary.Carousel.init)))
        return true
      }
      #expect(extents == oracle.sectionsSummary)
      let sections = datasets[place.dataset].model.sections
      #expect(styles == sections.map(\.style))
      #expect(snapshot.sectionCount == sections.count)
      #expect(snapshot.itemCount == datasets[place.dataset].model.itemCount)
      for (section, summary) in extents.enumerated() {
        #expect(
          try snapshot.carousel(inSection: section).map(OracleSectionSummary.Carousel.init)
            == summary.carousel)
      }
    }
  }

  func observePrefetching() throws {
    try read(anyPlace()) { snapshot, oracle in
      let (snapshot, oracle) = scrolled(snapshot, oracle)
      let rects = RandomRects(oracle)
      for side in [PrefetchDirection.before, .after] {
        let visible = rects.next(using: &generator)
        let prefetch = try snapshot.prefetch(
          side, visible: Rect(visible),
          length: Length(units: .random(in: -9...99_999, using: &generator)))
        #expect(!prefetch.rect.intersects(Rect(visible)))
        let rect = UnitRect(prefetch.rect)
        let expected = oracle.elements(in: rect, visible: visible).filter {
          !$0.frame.intersects(visible)
        }
        try compare(prefetch.elements, expected, in: rect, "\(side) of \(visible)")
      }
    }
  }
}

extension OracleSectionSummary.Carousel {
  init(_ extent: CarouselExtent) {
    self.init(
      contentLength: extent.contentLength.units, offset: extent.offset.units,
      maximumOffset: extent.maximumOffset.units)
  }
}

/// The direction in which a layout scrolls.
struct WorldSpace {
  let oracle: Oracle

  init(_ oracle: Oracle) { self.oracle = oracle }

  var isVertical: Bool { oracle.isVertical }
  var isMirrored: Bool { oracle.isMirrored }
  var contentSize: UnitSize { oracle.contentSize }

  /// The start of a frame along the main axis, from the leading end.
  func start(of frame: UnitRect) -> Int64 {
    if isVertical { return frame.y }
    return isMirrored ? contentSize.width - frame.maxX : frame.x
  }

  func end(of frame: UnitRect) -> Int64 {
    start(of: frame) + (isVertical ? frame.height : frame.width)
  }
}

/// An answer that a client reads in pages, while commits change the dataset.
struct WorldWalk {
  var place: World.Place
  var subject: ElementsQuery
  var direction: LayoutConfiguration.LayoutDirection
  var query: ElementsQuery
  /// How often each item was returned.
  var met: [ExactKey: Int] = [:]
  /// The items that were part of the answer at each page's revision.
  var stayed: Set<ExactKey>?
  /// The items that were inserted, deleted or moved since the first page, or their sections.
  var touched: Set<ExactKey> = []
  var pageCount = 0
}

extension World {
  /// Reads the next page of an answer: an item that stays is returned once.
  func observePages() throws {
    var number = walks.indices.randomElement(using: &generator)
    if walks.isEmpty || walks.count < 3 && generator.oneIn(3) {
      guard let walk = try beginWalk() else { return }
      // Its first page is read at once: its first item may be deleted later.
      walks.append(walk)
      number = walks.count - 1
    }
    guard let number else { return }
    var walk = walks.remove(at: number)
    let id = id(walk.place)
    let (whole, page) = try read(walk.place) { snapshot, _ in
      let own = snapshot.reading(walk.direction)
      // A continuation has the direction itself.
      let asked = walk.pageCount > 0 ? snapshot : own
      return (try Self.keys(of: walk.subject, in: own), try asked.elements(walk.query))
    }
    walk.pageCount += 1
    walk.stayed = walk.stayed.map { $0.intersection(whole) } ?? Set(whole)
    for case .cell(let key) in page.elements.map(\.category) {
      walk.met[ExactKey(key), default: 0] += 1
    }
    for (key, count) in walk.met where count > 1 && !walk.touched.contains(key) {
      throw Difference(description: "\(id), \(walk.subject): '\(key.string)' is met \(count) times")
    }
    guard let next = page.next else {
      for key in (walk.stayed ?? []).subtracting(walk.touched) where walk.met[key] != 1 {
        throw Difference(
          description: "\(id), \(walk.subject): '\(key.string)' is met \(walk.met[key] ?? 0) times")
      }
      if walk.pageCount > 1 { count("walked") }
      return
    }
    #expect(!page.elements.isEmpty)
    let token = try #require(Continuation(token: next.token))
    #expect(token == next)
    walk.query = .after(
      token, limit: generator.oneIn(3) ? .random(in: 1...4, using: &generator) : nil)
    walks.insert(walk, at: number)
  }

  private func beginWalk() throws -> WorldWalk? {
    let place = anyPlace()
    let count = Int.random(in: 1...5, using: &generator)
    let query: ElementsQuery
    if generator.oneIn(2) {
      let keys = datasets[place.dataset].keys
      guard let key = keys.randomElement(using: &generator) else { return nil }
      let isBackward = generator.oneIn(2)
      query = .items(
        from: .key(generator.oneIn(2) ? key : isBackward ? keys[keys.count - 1] : keys[0]),
        count: count, backward: isBackward)
    } else {
      let size = try read(place) { $1.contentSize }
      let rect = UnitRect(
        x: -1000, y: -1000, width: .random(in: 1000...(size.width + 1000), using: &generator),
        height: .random(in: 1000...(size.height + 1000), using: &generator))
      query = .rect(Rect(generator.oneIn(2) ? RandomRects.everything : rect), limit: count)
    }
    record("a walk begins: \(query)")
    return WorldWalk(
      place: place, subject: query,
      direction: generator.oneIn(2) ? .leftToRight : .rightToLeft, query: query)
  }

  /// The keys of all cells in the answer at the present revision.
  private static func keys(
    of subject: ElementsQuery, in snapshot: LayoutSnapshot
  ) throws -> [ExactKey] {
    let elements: [LayoutAttributes]
    switch subject {
    case .rect(let rect, let visible, _):
      elements = try snapshot.elements(in: rect, visible: visible).elements
    case .items(.key(let key), _, let isBackward):
      // Without its first item the start of the run is unknown.
      guard try snapshot.indexPath(ofKey: key) != nil else { return [] }
      elements = try snapshot.elements(fromKey: key, count: .max, backward: isBackward).elements
    default: elements = []
    }
    return elements.compactMap {
      if case .cell(let key) = $0.category { ExactKey(key) } else { nil }
    }
  }

  /// Records the items that a batch moves, inserts or deletes.
  func noteWalks(_ batch: [OracleDataset.Operation], on before: OracleDataset, of dataset: Int) {
    for number in walks.indices where walks[number].place.dataset == dataset {
      for operation in batch {
        switch operation.operation {
        case .insert(let items, _): touch(number, items.map(\.key))
        case .upsert(let items, _, _): touch(number, items.map(\.key))
        case .delete(let keys, _): touch(number, keys)
        case .move(let key, _): touch(number, [key])
        case .deleteSection(let key, _), .moveSection(let key, _):
          for section in before.sections where ExactKey(section.key) == ExactKey(key) {
            touch(number, section.items.map(\.key))
          }
        default: break
        }
      }
    }
  }

  private func touch(_ walk: Int, _ keys: [String]) {
    walks[walk].touched.formUnion(keys.map { ExactKey($0) })
  }
}
