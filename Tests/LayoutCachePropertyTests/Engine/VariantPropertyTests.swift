import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Strategy: a responsive layout of random kinds, breakpoints, styles and overrides, next to an
// ordinary one. Two processes request random widths and heights in random notations, with
// carousels scrolled to random positions, before and after random batches, which also measure
// items; the layout gets other configurations.
//
// Invariants: the answer of each width is that of an ordinary layout whose container has the
// width rounded down, laid out when it was first requested; its name has the rounded width, and
// the height only if a rule depends on it; as many variants exist as the layout keeps, the most
// recently used ones in either process; verify is clean.

@Suite struct VariantPropertyTests {
  @Test(.property, arguments: PropertyRun.seeds)
  func everyWidthIsAnOrdinaryLayout(seed: UInt64) throws {
    var run = try VariantRun(seed: seed)
    for step in PropertyRun.each(seed, steps: 40) {
      if step > 0, step % 80 == 0 {
        run = try VariantRun(seed: seed &* 1_000_003 &+ UInt64(step))
      }
      do {
        try run.step()
      } catch {
        Issue.record(
          """
          seed \(seed), step \(step): \(error)
          \(run.history.joined(separator: "\n"))
          \(run.responsive.text)
          """)
        return
      }
    }
    #expect(run.createdCount > 3, "seed \(seed)")
  }
}

private struct VariantRun {
  var generator: SeededGenerator
  let directory: TemporaryDirectory
  let clock = TestClock(milliseconds: 1_700_000_000_000)
  var caches: [LayoutCache]
  var dataset: OracleDataset
  var batch: RandomBatch
  let configurations: RandomConfiguration
  var responsive: ResponsiveText
  /// The steps in which variants were last used, by name.
  var uses: [String: Int] = [:]
  /// The sizes of the variants, by name.
  var sizes: [String: ResponsiveText.Size] = [:]
  var stepCount = 0
  var createdCount = 0
  var history: [String] = []

  struct Difference: Error, CustomStringConvertible { var description: String }

  private static let plain = #"{"container":{"width":500},"section":{"kind":"waterfall"}}"#

  init(seed: UInt64) throws {
    generator = SeededGenerator(seed: seed)
    directory = try TemporaryDirectory()
    configurations = RandomConfiguration()
    let options = LayoutCacheOptions.randomShapes(using: &generator)
    let (path, wallClock) = (directory.path(of: "feed.sqlite"), clock.clock)
    caches = try (0..<2).map { _ in
      try LayoutCache(
        path: path, options: options, sectionLayouts: TestKinds.all, clock: wallClock)
    }
    var source = RandomFeed(sectionCountMax: 4, itemCountMax: 40)
    let sections = source.sections(using: &generator)
    _ = try caches[0].importItems(into: "feed", mode: .create) { importer in
      for section in sections { try importer.addSection(section.key, style: section.style) }
      for section in sections {
        for item in section.items { try importer.add(Item(item), section: section.key) }
      }
    }
    dataset = try OracleDataset(
      name: "feed", sections: sections, layouts: [(name: "plain", text: Self.plain)])
    try caches[0].setLayout(
      LayoutID("plain", of: "feed"), to: ConfigurationText.decode(Self.plain))
    batch = RandomBatch(source: source, itemCountMax: 120)
    responsive = ResponsiveText(Self.plain, step: 8, keep: 1, mainLength: nil)
    try configure(step: [8, 1, 0.5, 100].randomElement(using: &generator)!)
  }

  private mutating func configure(step: Double) throws {
    let keys = dataset.sections.map(\.key)
    while true {
      let text = configurations.text(sectionKeys: keys, using: &generator)
      // Lengths measured along one axis do not apply to the other.
      let isHorizontal = text.contains("horizontal")
      if !used.isEmpty, isHorizontal != responsive.text.contains("horizontal") { continue }
      let mainLength = generator.oneIn(2) ? 700.0 : nil
      let next = ResponsiveText(
        text, step: step, keep: Int.random(in: 1...4, using: &generator), mainLength: mainLength)
      // Variants whose names have a height that no rule reads, and the others.
      let remaining = used.filter { name in
        sizes[name].map { next.size(cross: $0.cross, main: $0.main) == $0 } ?? false
      }
      // The options match the remaining variants.
      let fits = remaining.allSatisfy { name in
        (try? Oracle(configuration: next.variant(sizes[name]!), sections: [])) != nil
      }
      guard fits else { continue }
      do {
        let decoded = try ConfigurationText.decode(next.text)
        history.append("configures \(next.text)")
        try caches[0].setLayout(LayoutID("any", of: "feed"), to: decoded)
      } catch let error as LayoutCacheError {
        guard case .configuration = error.code else { throw error }
        continue
      }
      responsive = next
      for name in used {
        guard remaining.contains(name) else {
          forget(name)
          continue
        }
        let layout = dataset.layouts.firstIndex { $0.name == name }!
        try dataset.set(layout, to: responsive.variant(sizes[name]!))
      }
      return
    }
  }

  /// Records that a variant was dropped, with its measured lengths and without a revision.
  private mutating func forget(_ name: String) {
    dataset.layouts.removeAll { $0.name == name }
    (uses[name], sizes[name]) = (nil, nil)
  }

  mutating func step() throws {
    // Longer than the period in which uses by another process are protected.
    clock.advance(by: 10_000)
    stepCount += 1
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: try configure(step: responsive.step)
    case 1..<4: try commit()
    case 4:
      let report = try caches.randomElement(using: &generator)!.verify()
      guard report.problems.isEmpty else { throw Difference(description: "\(report.problems)") }
    default: try ask()
    }
    // Normally this happens a second later.
    for cache in caches { try cache.variants.storeTimes() }
    try compareNames()
  }

  private mutating func commit() throws {
    let operations = batch.next(for: dataset, using: &generator)
    let before = dataset
    try dataset.apply(operations)
    history.append("commits \(operations)")
    let commit = try caches[0].update(
      "feed", with: operations.map { try BatchOperation($0, in: before) })
    guard commit.behind.isEmpty, commit.revision == dataset.revision else {
      throw Difference(description: "\(commit)")
    }
    for change in commit.layouts {
      if let layout = dataset.layouts.firstIndex(where: { $0.name == change.layout }) {
        if !dataset.layouts[layout].feed.hasResult { try dataset.prepare(layout) }
      } else {
        throw Difference(description: "the commit lists \(change.layout)")
      }
    }
    // An operation that names a variant uses it.
    for operation in operations where operation.operation.isOfOneLayout {
      let name = before.layouts[operation.layout].name
      if used.contains(name) { use(name) }
    }
  }

  /// The names of the variants, the least recently used first; those of one step by name.
  private var used: [String] { uses.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key) }

  private mutating func use(_ name: String) { uses[name] = stepCount }

  private mutating func ask() throws {
    let known = used.randomElement(using: &generator).flatMap { sizes[$0] }
    var width = Double(Int.random(in: 100 * 64...1500 * 64, using: &generator)) / 64
    var height = generator.oneIn(3) ? Double(Int.random(in: 100...1500, using: &generator)) : nil
    if let known, generator.oneIn(2) {
      width = known.cross + (generator.oneIn(2) ? 0 : responsive.step - 1.0 / 64)
      height = known.main ?? (generator.oneIn(4) ? height : nil)
    }
    let size = responsive.size(cross: width, main: height)
    let name = "any@\(responsive.suffix(of: size))"
    let text = responsive.variant(size)
    var asked = "any@\(responsive.suffix(cross: width, main: height))"
    if height == nil, generator.oneIn(3) { asked = "any@\(width)" }
    history.append("asks for \(asked)")
    let cache = caches.randomElement(using: &generator)!
    let found: (name: String, elements: [OracleElement], revision: Int)
    do {
      found = try cache.read(LayoutID(asked, of: "feed")) {
        ($0.layout.layout, try OracleElement.all(of: $0), $0.revision)
      }
    } catch let error as LayoutCacheError {
      guard case .variant(_, .configuration) = error.code,
        (try? Oracle(configuration: text, sections: [])) == nil
      else { throw error }
      return
    }
    guard found.name == name else {
      throw Difference(description: "\(asked) is \(found.name), not \(name)")
    }
    if !dataset.layouts.contains(where: { $0.name == name }) {
      for dropped in used.prefix(max(0, used.count + 1 - responsive.keep)) { forget(dropped) }
      try dataset.addLayout(name, text: text)
      sizes[name] = size
      createdCount += 1
    }
    use(name)
    let layout = dataset.layouts.firstIndex { $0.name == name }!
    try dataset.prepare(layout)
    let expected = OracleElement.all(of: dataset.layouts[layout].feed.oracle)
    guard found.elements == expected, found.revision == dataset.revision else {
      let difference = zip(found.elements, expected).first { $0 != $1 }
      throw Difference(
        description: "\(asked): \(String(describing: difference)), \(expected.count) elements")
    }
    let oracle = dataset.layouts[layout].feed.oracle
    let offsets = RandomOffsets.next(for: oracle, using: &generator)
    let scrolled = try cache.read(LayoutID(asked, of: "feed")) {
      try OracleElement.all(of: $0.scrolled(to: CarouselOffsets(offsets)))
    }
    guard scrolled == OracleElement.all(of: oracle.scrolled(to: offsets)) else {
      throw Difference(description: "\(asked) at \(offsets)")
    }
  }

  private func compareNames() throws {
    let layout = try caches[0].layout(LayoutID("any", of: "feed"))
    let names = layout.variants.map(\.name).sorted()
    guard names == used.sorted() else {
      throw Difference(description: "the variants are \(names), not \(used.sorted())")
    }
  }
}
