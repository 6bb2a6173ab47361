import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

// Observers of datasets, their items and their history.
extension World {
  /// All items with their data, sections, and look-ups without a layout.
  func observeItems() throws {
    let (dataset, cache) = (datasets[anyDataset()], caches[anyCache()])
    let (name, sections) = (dataset.model.name, dataset.model.sections)
    let isBare = generator.oneIn(4)
    var expected: [Item] = []
    var owners: [String] = []
    for section in sections {
      for item in section.items {
        expected.append(try Item(item, isBare ? nil : dataset.data[ExactKey(item.key)]))
        owners.append(section.key)
      }
    }
    var (found, foundOwners): ([Item], [String]) = ([], [])
    try cache.forEachItem(of: name, withData: !isBare) {
      foundOwners.append($0)
      found.append($1)
    }
    if found != expected {
      let pair = zip(found, expected).first { $0 != $1 }
      throw Difference(description: "items: \(String(describing: pair)), \(found.count)")
    }
    #expect(foundOwners == owners)
    var described: [SectionDescription] = []
    try cache.forEachSection(of: name) { described.append($0) }
    #expect(described.map(\.key) == sections.map(\.key))
    #expect(described.map(\.style) == sections.map(\.style))
    #expect(described.map(\.itemCount) == sections.map(\.items.count))
    for (section, index) in zip(sections.indices, sections.indices).shuffled(using: &generator)
      .prefix(2)
    {
      let found = try cache.section(forKey: sections[section].key, of: name)
      #expect(found?.index == index && found?.section == described[index])
      guard let item = sections[section].items.indices.randomElement(using: &generator)
      else { continue }
      let path = LayoutAttributes.IndexPath(section: section, item: item)
      let key = sections[section].items[item].key
      let carried = try Item(sections[section].items[item], dataset.data[ExactKey(key)])
      for description in [
        try cache.item(forKey: key, of: name), try cache.item(at: path, of: name),
      ] {
        #expect(description?.item == carried && description?.indexPath == path)
        #expect(description?.sectionKey == sections[section].key)
        #expect(description?.revision == dataset.model.revision)
      }
      #expect(try cache.hasItem(forKey: key, of: name))
    }
    #expect(try !cache.hasItem(forKey: "no such key", of: name))
  }

  func observeDatasets() throws {
    let cache = caches[anyCache()]
    let models = datasets.sorted {
      $0.model.name.utf8.lexicographicallyPrecedes($1.model.name.utf8)
    }
    let found = try cache.datasets()
    #expect(found.map(\.name) == models.map(\.model.name))
    for (description, dataset) in zip(found, models) {
      #expect(description.revision == dataset.model.revision)
      #expect(description.itemCount == dataset.model.itemCount)
      #expect(description.sectionCount == dataset.model.sections.count)
      let names = dataset.ordinaryLayouts.map { dataset.model.layouts[$0].name }
      #expect(
        description.layouts.sorted()
          == (names + (dataset.responsive.map { [$0.name] } ?? [])).sorted())
      if let responsive = dataset.responsive {
        let found = try cache.layout(LayoutID(responsive.name, of: dataset.model.name))
        #expect(found.configuration == (try ConfigurationText.decode(responsive.text.text)))
        #expect(found.variants.map(\.name).sorted() == responsive.sizes.keys.sorted())
      }
      let marks = description.marks.map { "\($0.source) \($0.position) \($0.revision)" }
      #expect(
        marks.sorted()
          == dataset.marks.map { "\($0.key) \($0.value.position) \($0.value.revision)" }.sorted())
      for layout in dataset.model.layouts {
        let found = try cache.layout(LayoutID(layout.name, of: dataset.model.name))
        #expect(found.configuration == (try ConfigurationText.decode(layout.text)))
      }
    }
    guard let name = models.randomElement(using: &generator)?.model.name else { return }
    #expect(try cache.datasets(prefix: name).map(\.name).contains(name))
    #expect(try cache.dataset(name).name == name)
  }

  func observeVerification() throws {
    let report = try caches[anyCache()].verify()
    if !report.problems.isEmpty { throw Difference(description: "\(report.problems)") }
    #expect(report.datasetCount == datasets.count)
    #expect(report.itemCount == datasets.reduce(0) { $0 + $1.model.itemCount })
    // Layouts without a result are not counted.
    #expect(report.layoutCount <= datasets.reduce(0) { $0 + $1.model.layouts.count })
  }

  /// The measured lengths that have an effect, as an export names them.
  func observeMeasuredLengths() throws {
    let (model, cache) = (datasets[anyDataset()].model, caches[anyCache()])
    let expected = try model.layouts.flatMap { layout in
      try layout.feed.effectiveLengths.map { "\(try BatchOperation($0, layout: layout.name))" }
    }
    var found: [String] = []
    try cache.forEachMeasuredLength(of: model.name) { found.append("\($0)") }
    #expect(found.sorted() == expected.sorted())
    let counts = try cache.inspect(dataset: model.name, countingMeasured: true).layouts
      .compactMap(\.measured)
    #expect(counts.reduce(0) { $0 + $1.items + $1.headers + $1.footers } == found.count)
    if !found.isEmpty { count("measured") }
  }

  /// The log has an entry of each revision.
  func observeLog() throws {
    let dataset = datasets[anyDataset()]
    let limit = Int.random(in: 1...8, using: &generator)
    let entries = try caches[anyCache()].log(of: dataset.model.name, limit: limit)
    let last = dataset.model.revision
    #expect(entries.map(\.revision) == Array((max(1, last - limit + 1)...last).reversed()))
    let earlier = try caches[0].log(of: dataset.model.name, limit: 2, before: last - limit + 1)
    #expect(earlier.map(\.revision) == [last - limit, last - limit - 1].filter { $0 > 0 })
    switch (dataset.previous, entries.first?.kind) {
    case (.imported, let kind): #expect(kind == .import)
    case (.state, let kind): #expect(kind == .batch || kind == .undo)
    case (.unknown, _): break
    }
    for entry in entries {
      guard let mark = entry.mark, let present = dataset.marks[mark.source] else { continue }
      #expect(mark.revision == entry.revision && mark.revision <= present.revision)
      #expect((mark.position == present.position) == (mark.revision == present.revision))
    }
  }

  /// Both caches name an answer alike.
  func observeIncarnations() throws {
    let place = anyPlace()
    let found = try caches.indices.map { cache in
      try read(place, by: cache) { snapshot, _ in snapshot.incarnation }
    }
    #expect(Set(found).count == 1)
  }

  /// The changes since an earlier revision, in a layout and in a rectangle.
  func observeChanges() throws {
    let (number, cache) = (anyDataset(), caches[anyCache()])
    let dataset = datasets[number]
    let (model, then) = (dataset.model, dataset.past.randomElement(using: &generator)!)
    let layout = anyPlace(of: number).layout
    let revision = then.model.revision
    record("changes of \(model.layouts[layout].name) since \(revision)")
    let changes = try cache.changes(
      of: model.name, since: revision, layout: model.layouts[layout].name)
    #expect(changes.revision == model.revision && changes.since == revision)
    changes.updates.expectToLead(
      from: then.model.sections, to: model.sections, "changes since \(revision)")
    guard let change = changes.layouts.first else {
      throw Difference(description: "no context of \(model.layouts[layout].name)")
    }
    #expect(change.layout == model.layouts[layout].name && changes.layouts.count == 1)
    if change.context.invalidateEverything { return }
    guard let index = then.index(ofTag: dataset.notes[layout].tag),
      model.layouts[layout].feed.hasResult
    else { return }
    count("exact changes")
    let oracle = model.layouts[layout].feed.oracle
    change.context.expectComplete(
      before: then.model.layouts[index].feed.oracle, after: oracle, "changes since \(revision)")
    let rects = RandomRects(contentSize: oracle.contentSize)
    let (rect, direction) = (rects.next(using: &generator), anyDirection())
    let cut = try cache.changes(
      of: model.name, since: revision, layout: model.layouts[layout].name, in: Rect(rect),
      direction: direction)
    let space = WorldSpace(oracle.reading(direction))
    let met = change.context.sections.filter {
      space.frame(of: oracle.sectionsSummary[$0.section]).intersects(Rect(rect))
    }
    #expect(cut.updates == changes.updates)
    #expect(cut.layouts.first?.context.sections == met)
    #expect(
      cut.layouts.first?.context.contentSizeAdjustment == change.context.contentSizeAdjustment)
  }
}

extension WorldSpace {
  /// A section's frame, as wide as the container.
  func frame(of section: OracleSectionSummary) -> Rect {
    if isVertical {
      return Rect(
        UnitRect(
          x: 0, y: section.start, width: contentSize.width, height: section.length))
    }
    let end = section.start + section.length
    let x = isMirrored ? contentSize.width - end : section.start
    return Rect(UnitRect(x: x, y: 0, width: section.length, height: contentSize.height))
  }
}

/// A responsive layout, whose variants are layouts of the model.
struct WorldResponsive {
  var name: String
  var text: ResponsiveText
  /// The sizes of the variants, by name.
  var sizes: [String: ResponsiveText.Size] = [:]
  var definitions = WorldDataset.Definitions()
}

// Actions on the responsive layout of the first dataset.
extension World {
  /// Requests a width or a height in any notation: the answer is that of an ordinary layout of the
  /// rounded size. It is stored, and as many variants remain as the layout keeps, unless all of them
  /// are in use, or the request is a stranger's.
  func askForVariant() throws {
    guard let responsive = datasets[0].responsive else { return try configureVariants() }
    let areIdle = !generator.oneIn(3)
    advance(by: areIdle ? 3_600_000 : 61_000)
    let definition = responsive.text
    let names = responsive.sizes.keys.sorted()
    var width = Double(Int.random(in: 100 * 64...1500 * 64, using: &generator)) / 64
    var height = generator.oneIn(3) ? Double(Int.random(in: 100...1500, using: &generator)) : nil
    if let known = names.randomElement(using: &generator).flatMap({ responsive.sizes[$0] }),
      generator.oneIn(2)
    {
      width = known.cross + (generator.oneIn(2) ? 0 : definition.step - 1.0 / 64)
      height = known.main ?? (generator.oneIn(4) ? height : nil)
    }
    var cache = anyCache()
    var isStranger = generator.oneIn(5)
    if let last = lastTemporary, last.cache < caches.count, generator.oneIn(2) {
      (cache, width, height) = last
      isStranger = true
    }
    lastTemporary = nil
    let size = definition.size(cross: width, main: height)
    let (name, text) = (
      "\(responsive.name)@\(definition.suffix(of: size))", definition.variant(size)
    )
    var asked = "\(responsive.name)@\(definition.suffix(cross: width, main: height))"
    if height == nil, generator.oneIn(3) { asked = "\(responsive.name)@\(width)" }
    let dataset = datasets[0].model.name
    record("\(cache) requests \(asked) of \(dataset)\(isStranger ? ", a stranger" : "")")
    let isTemporary: Bool
    do {
      isTemporary = try LayoutCache.$mayStoreSizes.withValue(!isStranger) {
        try caches[cache].read(LayoutID(asked, of: dataset)) {
          #expect($0.layout.layout == name, "\(asked)")
          if $0.isTemporary { try compareTemporary($0, size, text: text) }
          return $0.isTemporary
        }
      }
    } catch let error as LayoutCacheError {
      guard case .variant = error.code,
        (try? Oracle(configuration: text, sections: [])) == nil
      else { throw error }
      return
    }
    if isTemporary {
      lastTemporary = (cache, width, height)
      #expect(!names.contains(name))
      #expect(isStranger || names.count >= definition.keep && !(areIdle && listeners.isEmpty))
      return try observeTemporary(LayoutID(asked, of: dataset), size, text: text, by: cache)
    }
    if !names.contains(name) {
      #expect(!isStranger)
      let remaining = try caches[cache].layout(LayoutID(responsive.name, of: dataset))
        .variants.map(\.name)
      #expect(remaining.contains(name) && Set(remaining).isSubset(of: names + [name]))
      #expect(remaining.count == min(definition.keep, names.count + 1))
      let dropped = names.filter { !remaining.contains($0) }
      dropVariants(dropped)
      if !dropped.isEmpty { count("dropped variant") }
      try datasets[0].addVariant(name, size, text: text)
    }
    let layout = datasets[0].model.layouts.firstIndex { $0.name == name }!
    try read(Place(dataset: 0, layout: layout)) { try compareAll($0, $1) }
    count("variant")
  }

  /// Returns the dataset with a variant as if it had just been laid out.
  private func dataset(with size: ResponsiveText.Size, text: String) throws -> WorldDataset {
    var dataset = datasets[0]
    try dataset.addVariant("temporary", size, text: text)
    try dataset.prepare(dataset.model.layouts.count - 1)
    return dataset
  }

  private func compareTemporary(
    _ snapshot: LayoutSnapshot, _ size: ResponsiveText.Size, text: String
  ) throws {
    let direction = anyDirection()
    let expected = try dataset(with: size, text: text).model.layouts.last!.feed.oracle
    try compareAll(snapshot.reading(direction), expected.reading(direction))
    count("temporary width")
  }

  /// The changes of a temporary variant since an earlier observation.
  private func observeTemporary(
    _ layout: LayoutID, _ size: ResponsiveText.Size, text: String, by cache: Int
  ) throws {
    let model = try dataset(with: size, text: text).model
    let state = "\(cache) \(datasets[0].model.name) \(text)"
    let present = WorldViewState(
      sections: model.layouts.last!.feed.sections, oracle: model.layouts.last!.feed.oracle,
      revision: model.revision)
    defer { viewStates[state] = present }
    guard let former = viewStates[state], former.revision <= present.revision else { return }
    record("\(cache) reads the changes of \(layout) since \(former.revision)")
    let changes = try LayoutCache.$mayStoreSizes.withValue(false) {
      try caches[cache].changes(of: layout.dataset, since: former.revision, layout: layout.layout)
    }
    let context = try #require(changes.layouts.first?.context)
    if context.invalidateEverything { return }
    context.expectComplete(before: former.oracle, after: present.oracle, "\(layout)")
    count("temporary context")
  }

  /// Gives the responsive layout another configuration, which is that of its variants, or removes
  /// it.
  func configureVariants() throws {
    let (cache, dataset) = (anyCache(), datasets[0].model.name)
    if let name = datasets[0].responsive?.name, generator.oneIn(6) {
      record("\(cache) removes \(name) of \(dataset)")
      try caches[cache].removeLayout(LayoutID(name, of: dataset))
      dropVariants(datasets[0].responsive?.sizes.keys.sorted() ?? [])
      datasets[0].responsive = nil
      return
    }
    let present = datasets[0].responsive
    let step = present?.text.step ?? [8, 1, 0.5, 100].randomElement(using: &generator)!
    let sizes = present?.sizes ?? [:]
    let name = present?.name ?? freshName()
    while true {
      let text = RandomConfiguration(kinds: configurations.kinds).text(
        sectionKeys: datasets[0].model.sections.map(\.key), using: &generator)
      let isHorizontal = text.contains("horizontal")
      // Lengths measured along one axis do not apply to the other.
      if let present, isHorizontal != present.text.text.contains("horizontal") { continue }
      let mainLength = generator.oneIn(2) ? 700.0 : nil
      let next = ResponsiveText(
        text, step: step, keep: .random(in: 1...4, using: &generator), mainLength: mainLength)
      // Not those whose names have a height that no rule reads, or lack one.
      let remaining = sizes.filter {
        next.size(cross: $0.value.cross, main: $0.value.main) == $0.value
      }
      // The options match the remaining variants.
      let fits = remaining.values.allSatisfy {
        (try? Oracle(configuration: next.variant($0), sections: [])) != nil
      }
      guard fits else { continue }
      record("\(cache) configures \(name) of \(dataset): \(next.text)")
      guard try set(LayoutID(name, of: dataset), to: next.text, by: cache, isNew: present == nil)
      else { continue }
      dropVariants(sizes.keys.filter { remaining[$0] == nil }.sorted())
      var definitions = present?.definitions ?? .init()
      if try definitions.add(next.text, at: now) { noteDefinition(of: name, in: 0) }
      datasets[0].responsive = WorldResponsive(
        name: name, text: next, sizes: remaining, definitions: definitions)
      for (name, size) in remaining.sorted(by: { $0.key < $1.key }) {
        let layout = datasets[0].model.layouts.firstIndex { $0.name == name }!
        try datasets[0].set(layout, to: next.variant(size))
      }
      return
    }
  }

  private func dropVariants(_ names: [String]) {
    if names.isEmpty { return }
    // Readers refer to layouts by their numbers.
    dropReaders(of: 0)
    for name in names { datasets[0].dropVariant(name) }
  }
}

extension WorldDataset {
  fileprivate mutating func addVariant(
    _ name: String, _ size: ResponsiveText.Size, text: String
  ) throws {
    try model.addLayout(name, text: text)
    notes.append(LayoutNote(tag: 0, text: text))
    retag(notes.count - 1)
    responsive?.sizes[name] = size
    if case .state = previous { previous = .unknown }
  }

  /// Removes a variant with its measured lengths, without a revision.
  fileprivate mutating func dropVariant(_ name: String) {
    guard let layout = model.layouts.firstIndex(where: { $0.name == name }) else { return }
    model.layouts.remove(at: layout)
    notes.remove(at: layout)
    responsive?.sizes[name] = nil
    if case .state = previous { previous = .unknown }
  }

  var ordinaryLayouts: [Int] {
    model.layouts.indices.filter { responsive?.sizes[model.layouts[$0].name] == nil }
  }

  /// Renames the responsive layout, with its variants.
  mutating func renameResponsive(to name: String) {
    guard let old = responsive else { return }
    responsive?.name = name
    responsive?.sizes = [:]
    for (variant, size) in old.sizes {
      let new = name + variant.dropFirst(old.name.count)
      responsive?.sizes[new] = size
      rename(model.layouts.firstIndex { $0.name == variant }!, to: new)
    }
  }
}
