import CollectionLayout
import LayoutCache
import TestSupport
import Testing

// Actions that change layouts, or bring them up to date.
extension World {
  /// Changes a layout's configuration: to a similar one, any other, or an earlier one.
  func configure() throws {
    let (cache, place) = (anyCache(), anyOrdinary())
    let text = anotherText(place)
    record("\(cache) configures \(id(place)): \(text)")
    guard try set(id(place), to: text, by: cache, isNew: false) else { return }
    try define(place, text)
  }

  /// Restores the previous configuration of a layout, or configures one if it has none.
  func restorePrevious() throws {
    let (cache, place) = (anyCache(), anyOrdinary())
    let entries = datasets[place.dataset].notes[place.layout].definitions.entries
    record("\(cache) restores the previous configuration of \(id(place))")
    if entries.count < 2 { return try configure() }
    let found = try caches[cache].restorePreviousConfiguration(of: id(place))
    #expect(found.configuration == (try ConfigurationText.decode(entries[1].text)))
    try define(place, entries[1].text)
    count("restored")
  }

  private func define(_ place: Place, _ text: String) throws {
    let name = datasets[place.dataset].model.layouts[place.layout].name
    if try datasets[place.dataset].notes[place.layout].definitions.add(text, at: now) {
      noteDefinition(of: name, in: place.dataset)
    }
    try datasets[place.dataset].set(place.layout, to: text)
  }

  /// The configurations that every layout has had.
  func observeHistory() throws {
    for dataset in datasets {
      var histories = dataset.ordinaryLayouts.map {
        (name: dataset.model.layouts[$0].name, definitions: dataset.notes[$0].definitions)
      }
      if let any = dataset.responsive { histories.append((any.name, any.definitions)) }
      for (name, definitions) in histories {
        let id = LayoutID(name, of: dataset.model.name)
        let found = try caches[anyCache()].layoutHistory(of: id)
        #expect(found.map(\.millisecondsSince1970) == definitions.entries.map(\.time), "\(id)")
        let configurations = try definitions.entries.map { try ConfigurationText.decode($0.text) }
        #expect(found.map(\.configuration) == configurations, "\(id)")
      }
    }
  }

  /// Gives a layout a configuration.
  ///
  /// - Returns: Whether it is valid: rarely a size does not fit a breakpoint's narrower container,
  ///   or lengths relative to the container that fit in a narrow one do not in the widest.
  func set(_ id: LayoutID, to text: String, by cache: Int, isNew: Bool = true) throws -> Bool {
    do {
      let result = try caches[cache].setLayout(id, to: ConfigurationText.decode(text))
      #expect(result.isNew == isNew && result.layout.name == id.layout)
      return true
    } catch let error as LayoutCacheError {
      guard case .configuration = error.code,
        text.contains("breakpoints") || text.contains("widths") || text.contains("heights")
      else { throw error }
      return false
    }
  }

  func anotherText(_ place: Place) -> String {
    let present = datasets[place.dataset].model.layouts[place.layout].text
    if generator.oneIn(3), let text = earlierTexts.randomElement(using: &generator) { return text }
    earlierTexts.append(present)
    let keys = datasets[place.dataset].model.sections.map(\.key)
    return generator.oneIn(4)
      ? configurations.text(sectionKeys: keys, using: &generator)
      : configurations.variant(of: present, sectionKeys: keys, using: &generator)
  }

  func recreateLayout() throws {
    let (cache, place) = (anyCache(), anyOrdinary())
    let text =
      generator.oneIn(2)
      ? datasets[place.dataset].model.layouts[place.layout].text : anotherText(place)
    dropReaders(of: place.dataset)
    record("\(cache) creates \(id(place)) again: \(text)")
    try caches[cache].removeLayout(id(place))
    let other = generator.oneIn(2) ? cache : anyCache()
    #expect(throws: LayoutCacheError.self) { try caches[other].read(id(place)) { _ in } }
    guard try set(id(place), to: text, by: other) else {
      // The layout remains with its former configuration.
      let former = datasets[place.dataset].model.layouts[place.layout].text
      #expect(try set(id(place), to: former, by: other))
      return try datasets[place.dataset].makeAgain(place.layout, text: former, at: now)
    }
    try datasets[place.dataset].makeAgain(place.layout, text: text, at: now)
  }

  /// Renames a dataset or a layout; often another one gets the old name.
  func rename() throws {
    let (cache, new, place) = (anyCache(), freshName(), anyOrdinary())
    let old = id(place)
    dropReaders()
    if let any = datasets[0].responsive?.name, generator.oneIn(4) {
      let id = LayoutID(any, of: datasets[0].model.name)
      record("\(cache) renames \(id) to \(new)")
      try caches[cache].renameLayout(id, to: new)
      datasets[0].renameResponsive(to: new)
    } else if generator.oneIn(2) {
      record("\(cache) renames \(old.dataset) to \(new)")
      try caches[cache].renameDataset(old.dataset, to: new)
      datasets[place.dataset].model.name = new
      guard generator.oneIn(2), datasets.count > 1 else { return }
      let other = 1 - place.dataset
      record("\(cache) renames \(datasets[other].model.name) to \(old.dataset)")
      try caches[cache].renameDataset(datasets[other].model.name, to: old.dataset)
      datasets[other].model.name = old.dataset
    } else {
      record("\(cache) renames \(old) to \(new)")
      try caches[cache].renameLayout(old, to: new)
      datasets[place.dataset].rename(place.layout, to: new)
      let others = datasets[place.dataset].ordinaryLayouts.filter { $0 != place.layout }
      guard let next = others.randomElement(using: &generator), generator.oneIn(2) else { return }
      let other = id(Place(dataset: place.dataset, layout: next))
      record("\(cache) renames \(other) to \(old.layout)")
      try caches[cache].renameLayout(other, to: old.layout)
      datasets[place.dataset].rename(next, to: old.layout)
    }
  }

  func prepare() throws {
    let (cache, place) = (anyCache(), anyPlace())
    record("\(cache) prepares \(id(place))")
    let preparation = try caches[cache].prepare(id(place))
    try datasets[place.dataset].prepare(place.layout)
    #expect(preparation.revision == datasets[place.dataset].model.revision)
  }

  /// Evens out all overdue sections, in separate commits.
  func finishRebalancing() throws {
    let (cache, dataset) = (anyCache(), anyDataset())
    for layout in datasets[dataset].model.layouts.indices {
      try read(Place(dataset: dataset, layout: layout), by: cache) { _, _ in }
    }
    record("\(cache) finishes \(datasets[dataset].model.name)")
    try datasets[dataset].finishRebalancing()
    let commit = try caches[cache].finishRebalancing(datasets[dataset].model.name)
    #expect(commit.revision == datasets[dataset].model.revision)
  }
}

extension WorldDataset {
  /// Gives a layout a configuration, which takes effect when it is next prepared.
  mutating func set(_ layout: Int, to text: String) throws {
    let before = present
    try model.set(layout, to: text)
    noteRevision(since: before)
    retag(layout)
    // Lengths that were measured in another container are dropped for good.
    if model.revision > before.model.revision { previous = .unknown }
  }

  /// Removes a layout, and creates another of the same name.
  mutating func makeAgain(_ layout: Int, text: String, at time: Int64) throws {
    try model.makeAgain(layout, text: text)
    notes.append(notes.remove(at: layout))
    retag(notes.count - 1)
    notes[notes.count - 1].text = text
    notes[notes.count - 1].definitions = Definitions()
    _ = try notes[notes.count - 1].definitions.add(text, at: time)
    previous = .unknown
  }

  mutating func rename(_ layout: Int, to name: String) {
    model.layouts[layout].name = name
    if case .state = previous { previous = .unknown }
  }

  mutating func finishRebalancing() throws {
    while true {
      let overdue = try model.layouts.indices.filter {
        try model.layouts[$0].feed.firstOverdueSection() != nil
      }
      if overdue.isEmpty { return }
      let before = present
      try model.apply(overdue.map { .init(.continueRebalance, layout: $0) })
      noteRevision(since: before)
    }
  }
}
