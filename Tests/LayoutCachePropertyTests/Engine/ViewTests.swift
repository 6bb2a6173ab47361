import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// Views against plain lists that are filtered, sorted and laid out from scratch.
@Suite struct ViewTests {
  private static let kinds = [
    KindExample.waterfall, .exactWaterfall, .flow, .grid, .justified, .carousel,
    KindExample(name: "custom", members: #""kind":"stack","options":{"gap":5}"#),
  ]

  fileprivate struct Run {
    let test: TestFeed
    /// Another process's cache of the file.
    let other: LayoutCache
    let kind: KindExample
    var model: ViewModel
    var batch: RandomBatch
    var views: [ViewModel.View] = []
    /// The keys of items that changes have named, or moved with their section.
    var named: Set<String> = []
    var generator: SeededGenerator

    init(seed: UInt64) throws {
      generator = SeededGenerator(seed: seed)
      kind = kinds.randomElement(using: &generator)!
      var source = RandomFeed(sectionCountMax: 5, itemCountMax: 40)
      let sections = source.sections(using: &generator)
      let text = kind.configuration(extra: #","header":10"#)
      model = ViewModel(feed: try OracleFeed(configuration: text, sections: sections))
      batch = RandomBatch(source: source, itemCountMax: 200)
      let options = LayoutCacheOptions.randomShapes(using: &generator)
      test = try TestFeed(sections, configuration: text, options: options)
      other = try LayoutCache(path: test.path, options: options, sectionLayouts: TestKinds.all)
      for _ in 0..<3 { views.append(try .random(using: &generator)) }
      let keys = model.feed.sections.flatMap(\.items).map(\.key)
      views.append(try .listing(keys + ["none"], using: &generator))
    }

    /// Changes the data of some items.
    mutating func changeData() throws {
      var operations: [BatchOperation] = []
      for item in model.feed.sections.flatMap(\.items) where generator.oneIn(3) {
        var values: ViewModel.Values = [:]
        for name in ["a", "b", "A"] where !generator.oneIn(3) {
          values[name] = .random(isAny: true, using: &generator)
        }
        let json = values.map { "\"\($0)\":\($1.json)" }.joined(separator: ",")
        operations.append(
          .data(key: item.key, values.isEmpty ? nil : try ItemData(json: "{\(json)}")))
        model.values[Array(item.key.utf8)] = values
        named.insert(item.key)
      }
      try test.cache.update("feed", with: operations)
    }

    mutating func change() throws {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<3: try changeData()
      case 3:
        let before = model
        try commitBatch()
        if try test.cache.dataset("feed").revision > 1, generator.oneIn(2),
          before.feed.revision < model.feed.revision
        {
          try test.cache.undo("feed")
          model = before
        }
      case 4 where generator.oneIn(3): try test.cache.checkpoint()
      default: for _ in 0..<(generator.oneIn(5) ? 20 : 1) { try commitBatch() }
      }
    }

    private mutating func commitBatch() throws {
      let operations = batch.next(for: model.feed, using: &generator)
      try test.cache.update("feed", with: operations.map { try BatchOperation($0) })
      // Data go with their items, also if an item of the same key comes later in the batch.
      var feed = model.feed
      for operation in operations {
        named.formUnion(feed.keysMoved(by: operation))
        try feed.apply([operation])
        let keys = Set(feed.sections.flatMap(\.items).map { Array($0.key.utf8) })
        model.values = model.values.filter { keys.contains($0.key) }
      }
      try model.feed.apply(operations)
    }

    private func expected(_ view: ViewModel.View) throws -> Oracle {
      let text = KindExample(name: "", members: kind.members + #","assignment":"exact""#)
        .configuration(extra: #","header":10"#)
      let isWaterfall = kind.name == KindExample.waterfall.name
      var feed = try OracleFeed(
        configuration: isWaterfall ? text : kind.configuration(extra: #","header":10"#),
        sections: model.sections(of: view))
      try feed.measureFrame(model.feed.frameLengths)
      return feed.oracle
    }

    /// Compares a view with its list.
    mutating func compare(_ view: ViewModel.View) throws {
      let expected = try expected(view)
      let cache = generator.oneIn(3) ? other : test.cache
      try cache.read(LayoutID("layout", of: "feed"), showing: view.own) { snapshot in
        let found = try OracleElement.all(of: snapshot)
        let wanted = OracleElement.all(of: expected)
        #expect(found == wanted, "\(view.own)")
        for item in model.sections(of: view).flatMap(\.items) where generator.oneIn(8) {
          #expect(try snapshot.attributes(forKey: item.key) != nil)
        }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func viewsAreFilteredSortedLists(seed: UInt64) throws {
    for round in PropertyRun.each(seed, rounds: 8) {
      var run = try Run(seed: seed &* 1000 &+ UInt64(round))
      try run.changeData()
      for _ in 0..<25 {
        if run.generator.oneIn(8) { run.views[0] = try .random(using: &run.generator) }
        for view in run.views where !run.generator.oneIn(4) { try run.compare(view) }
        try run.change()
      }
    }
  }

  /// A view in the order of a dataset that sorts itself, with derived sections.
  @Test(.property, arguments: PropertyRun.seeds)
  func viewsKeepTheOrderOfSortedDatasets(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cache = try LayoutCache.temporary(options: .randomShapes(using: &generator))
    try cache.createDataset("feed", order: DatasetOrder([.init(by: "a")], sections: .init(by: "b")))
    let layout = LayoutID("phone", of: "feed")
    try cache.setLayout(layout, to: ConfigurationText.decode(KindExample.waterfall.configuration()))
    let view = try DatasetView(where: "a < 5 AND b != y")
    var included: Set<String> = []
    for _ in PropertyRun.each(seed, steps: 80) {
      let key = "k\(Int.random(in: 0..<40, using: &generator))"
      let (a, b) = (
        Int.random(in: 0..<9, using: &generator), ["x", "y", "z"].randomElement(using: &generator)!
      )
      included.remove(key)
      if generator.oneIn(4) {
        try cache.update("feed", with: [.delete(keys: [key], missing: .ignore)])
      } else {
        if a < 5 && b != "y" { included.insert(key) }
        let data = try ItemData(json: #"{"a":\#(a),"b":"\#(b)"}"#)
        let item = try UpsertedItem(key: key, width: 9, height: 9, data: .set(data))
        try cache.update("feed", with: [.upsert([item], section: nil, moving: false)])
      }
      var expected: [String] = []
      try cache.forEachItem(of: "feed") { section, item in
        if included.contains(item.key) { expected.append("\(section)/\(item.key)") }
      }
      let found = try cache.read(layout, showing: view) { snapshot -> [String] in
        if snapshot.itemCount == 0 { return [] }
        return try snapshot.elements(.items(from: .text("0.0"))).elements.map {
          if case .cell(let key) = $0.category { "\($0.sectionKey)/\(key)" } else { "" }
        }
      }
      #expect(found == expected)
    }
  }

  /// Pages of a view that changes between them contain each item once that is in the view throughout
  /// and is not named by a change.
  @Test(.property, arguments: PropertyRun.seeds)
  func pagesContainWhatStaysOnce(seed: UInt64) throws {
    for round in PropertyRun.each(seed, rounds: 8) {
      var run = try Run(seed: seed &* 1000 &+ UInt64(round))
      try run.changeData()
      for view in run.views { try run.page(through: view) }
    }
  }
}

extension ViewTests.Run {
  fileprivate mutating func page(through view: ViewModel.View) throws {
    let layout = LayoutID("layout", of: "feed")
    func keys() -> [String] { model.sections(of: view).flatMap(\.items).map(\.key) }
    let isBackward = generator.oneIn(3)
    let begin = keys()
    guard let first = isBackward ? begin.last : begin.first else { return }
    var staying = Set(begin)
    named = []
    var seen: [String] = []
    var query: ElementsQuery? = .items(from: .key(first), count: 3, backward: isBackward)
    while let next = query {
      let page = try test.cache.read(layout, showing: view.own) { try $0.elements(next) }
      for element in page.elements {
        if case .cell(let key) = element.category { seen.append(key) }
      }
      let token = page.next.flatMap { Continuation(token: $0.token) }
      #expect(token == page.next)
      query = token.map { .after($0) }
      guard query != nil else { break }
      try change()
      staying.formIntersection(keys())
      staying.subtract(named)
    }
    let hidden = Set(
      model.feed.sections.flatMap(\.items).filter { $0.visibility != .shown }.map(\.key))
    for key in staying.subtracting(hidden) {
      #expect(seen.count { $0.utf8.elementsEqual(key.utf8) } == 1, "\(key) of \(view.own)")
    }
  }
}

extension OracleFeed {
  /// The keys of the items that may have another place or other values after an operation.
  fileprivate func keysMoved(by operation: OracleOperation) -> [String] {
    switch operation {
    case .insert(let items, _): items.map(\.key)
    case .upsert(let items, _, _): items.map(\.key)
    case .delete(let keys, _), .hide(let keys, _): keys
    case .move(let key, _), .resize(let key, _, _, _), .prefer(let key, _, _): [key]
    // Items of other sections are then on the other side of a position in the section.
    case .moveSection: sections.flatMap(\.items).map(\.key)
    default: []
    }
  }
}
