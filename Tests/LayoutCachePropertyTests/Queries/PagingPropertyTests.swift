import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Strategy: a dataset with three layouts of mixed kinds, and two caches on its file. An answer is
// read in pages of a few elements: a rectangle, or a run of items forward or backward. Between
// pages one of the caches commits random batches, appends, replaces the dataset by an import,
// checkpoints, or is reopened.
//
// Invariants: an item that is not inserted or deleted in the meantime, and whose section is not
// either, is returned at most once, and exactly once if it is part of the answer at each page's
// revision; the last page has no `next`; only an import can make a continuation expire.

@Suite struct PagingPropertyTests {
  private static let layouts = ["phone", "desk", "wall"]

  @Test(.property, arguments: PropertyRun.seeds)
  func everyRemainingItemIsReturnedOnce(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var pageCount = 0
    for _ in PropertyRun.each(seed, rounds: 2) {
      var run = try Run(using: &generator)
      for _ in PropertyRun.each(seed, steps: 6) { pageCount += try run.walk(using: &generator) }
    }
    #expect(pageCount > 0)
  }

  private struct Run {
    let test: TestFeed
    let options: LayoutCacheOptions
    var caches: [LayoutCache]
    var batches: RandomBatch
    var dataset: OracleDataset
    /// The items that were inserted or deleted since the first page, themselves or their sections.
    var touched: Set<ExactKey> = []
    var hasBuilt = false

    init(using generator: inout SeededGenerator) throws {
      var source = RandomFeed(sectionCountMax: 6, itemCountMax: generator.oneIn(2) ? 40 : 15)
      let sections = source.sections(using: &generator)
      let configurations = RandomConfiguration(
        kinds: TestKinds.mixes.randomElement(using: &generator)!)
      let texts = layouts.map {
        (
          name: $0,
          text: configurations.text(sectionKeys: sections.map(\.key), using: &generator)
        )
      }
      batches = RandomBatch(source: source, itemCountMax: 40)
      batches.operationCountMax = 4
      options = LayoutCacheOptions.randomShapes(using: &generator)
      test = try TestFeed(sections, options: options)
      caches = [
        test.cache,
        try LayoutCache(path: test.path, options: options, sectionLayouts: TestKinds.all),
      ]
      dataset = try OracleDataset(name: "feed", sections: sections, layouts: texts)
      for layout in dataset.layouts {
        try caches[0].setLayout(
          LayoutID(layout.name, of: "feed"), to: ConfigurationText.decode(layout.text))
      }
    }

    /// - Returns: The number of pages.
    mutating func walk(using generator: inout SeededGenerator) throws -> Int {
      touched = []
      hasBuilt = false
      let id = LayoutID(layouts.randomElement(using: &generator)!, of: "feed")
      guard let subject = try subject(id, using: &generator) else { return 0 }
      let origin = Comment(rawValue: "\(id): \(subject)")
      var met: [ExactKey: Int] = [:]
      var stayed: Set<ExactKey>?
      var query = subject
      var pageCount = 0
      while true {
        let cache = caches.randomElement(using: &generator)!
        let whole: [ExactKey]
        let page: ElementsPage
        do {
          (whole, page) = try cache.read(id) { snapshot in
            (try Self.keys(of: subject, in: snapshot), try snapshot.elements(query))
          }
        } catch let error as LayoutCacheError {
          guard case .continuationExpired = error.code, hasBuilt else { throw error }
          break
        }
        pageCount += 1
        stayed = stayed.map { $0.intersection(whole) } ?? Set(whole)
        for case .cell(let key) in page.elements.map(\.category) {
          met[ExactKey(key), default: 0] += 1
        }
        for (key, count) in met where count > 1 && !touched.contains(key) {
          Issue.record("\(origin): '\(key.string)' is met \(count) times")
        }
        guard let next = page.next else {
          for key in (stayed ?? []).subtracting(touched) where met[key] != 1 {
            Issue.record("\(origin): '\(key.string)' is met \(met[key] ?? 0) times of \(pageCount)")
          }
          break
        }
        #expect(!page.elements.isEmpty, origin)
        let token = try #require(Continuation(token: next.token), origin)
        #expect(token == next, origin)
        query = .after(
          token, limit: generator.oneIn(3) ? .random(in: 1...4, using: &generator) : nil)
        for _ in 0..<Int.random(in: 0...2, using: &generator) { try change(using: &generator) }
        // A feed that grows as fast as it is read has no last page.
        if pageCount == 60 { break }
      }
      return pageCount
    }

    /// A random answer to read in pages.
    private func subject(
      _ id: LayoutID, using generator: inout SeededGenerator
    ) throws -> ElementsQuery? {
      let count = Int.random(in: 1...5, using: &generator)
      if generator.oneIn(2) {
        let keys = dataset.sections.flatMap(\.items).map(\.key)
        guard let key = keys.randomElement(using: &generator) else { return nil }
        let isBackward = generator.oneIn(2)
        let end = isBackward ? keys.last! : keys[0]
        return .items(
          from: .key(generator.oneIn(2) ? key : end), count: count, backward: isBackward)
      }
      let everything = UnitRect(x: -1 << 51, y: -1 << 51, width: 1 << 52, height: 1 << 52)
      if generator.oneIn(2) { return .rect(Rect(everything), limit: count) }
      let size = try caches[0].read(id) { $0.contentSize }
      return .rect(
        Rect(
          UnitRect(
            x: -1000, y: -1000,
            width: .random(in: 1000...(size.width.units + 1000), using: &generator),
            height: .random(in: 1000...(size.height.units + 1000), using: &generator))),
        limit: count)
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
        elements = try snapshot.elements(
          fromKey: key, count: .max, backward: isBackward
        ).elements
      default: elements = []
      }
      return elements.compactMap {
        if case .cell(let key) = $0.category { ExactKey(key) } else { nil }
      }
    }

    private mutating func change(using generator: inout SeededGenerator) throws {
      let cache = Int.random(in: 0..<2, using: &generator)
      switch Int.random(in: 0..<12, using: &generator) {
      case 0:
        if generator.oneIn(2) { try caches[cache].close() }
        caches[cache] = try LayoutCache(
          path: test.path, options: options, sectionLayouts: TestKinds.all)
      case 1:
        let sections = batches.imported(to: dataset, using: &generator)
        _ = try caches[cache].importItems(into: "feed", mode: .append) { importer in
          for section in sections {
            for item in section.items { try importer.add(Item(item), section: section.key) }
          }
        }
        try dataset.append(sections)
        hasBuilt = true
      default:
        let batch = batches.next(for: dataset, using: &generator)
        for operation in batch { touch(operation.operation) }
        try dataset.apply(batch)
        let commit = try caches[cache].update(
          "feed", with: batch.map { try BatchOperation($0, in: dataset) },
          preparing: [.inUse, .upToDate, .none].randomElement(using: &generator)!)
        #expect(commit.revision == dataset.revision)
      }
    }

    private mutating func touch(_ operation: OracleOperation) {
      switch operation {
      case .insert(let items, _): touched.formUnion(items.map { ExactKey($0.key) })
      case .upsert(let items, _, _): touched.formUnion(items.map { ExactKey($0.key) })
      case .delete(let keys, _): touched.formUnion(keys.map(ExactKey.init))
      case .move(let key, _): touched.insert(ExactKey(key))
      case .deleteSection(let key, _), .moveSection(let key, _):
        for section in dataset.sections where ExactKey(section.key) == ExactKey(key) {
          touched.formUnion(section.items.map { ExactKey($0.key) })
        }
      default: break
      }
    }
  }
}
