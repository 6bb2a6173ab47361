import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import TestSupport
import Testing

// The observer of views, which have a filter, an order, or both.
extension World {
  /// Views that the world keeps, so that their results follow commits.
  func observeViews() throws {
    if views.count < 2 || generator.oneIn(6) {
      let keys = datasets[0].data.keys.map(\.string).sorted()
      views = Array(([try .ofWorld(keys, using: &generator)] + views).prefix(2))
    }
    // Mostly the same, so that there are changes since the last time.
    let place = generator.oneIn(3) ? anyPlace() : Place(dataset: 0, layout: 0)
    let cache = generator.oneIn(4) ? 1 : 0
    for view in views { try observe(view, place, cache) }
  }

  private func observe(_ view: ViewModel.View, _ place: Place, _ cache: Int) throws {
    let direction = anyDirection()
    try datasets[place.dataset].prepare(place.layout)
    let dataset = datasets[place.dataset]
    var feed = dataset.model.layouts[place.layout].feed
    let whole = ViewModel(feed: feed, values: dataset.values)
    try feed.replace(sections: whole.sections(of: view))
    let (number, revision) = (dataset.model.layouts[place.layout].number, dataset.model.revision)
    let state =
      "\(cache) \(view.own) \(view.keys ?? []) \(place.dataset) \(number) "
      + "\(dataset.notes[place.layout].tag)"
    let present = WorldViewState(sections: feed.sections, oracle: feed.oracle, revision: revision)
    try observeChanges(of: id(place), view.own, by: cache, since: viewStates[state], to: present)
    viewStates[state] = present
    record("\(cache) reads \(view.own) of \(id(place)) at \(revision)")
    try caches[cache].read(id(place), showing: view.own) { snapshot in
      #expect(snapshot.revision == revision)
      let key = "\(snapshot.incarnation) \(snapshot.revision)"
      if answers.updateValue(OracleElement.all(of: feed.oracle), forKey: key) != nil {
        count("known view")
      }
      try compareAll(snapshot.reading(direction), feed.oracle.reading(direction))
      if 0 < snapshot.itemCount, snapshot.itemCount < dataset.model.itemCount { count("view") }
    }
  }

  /// The changes of a view since an earlier observation, if they are known.
  private func observeChanges(
    of layout: LayoutID, _ view: DatasetView, by cache: Int, since former: WorldViewState?,
    to present: WorldViewState
  ) throws {
    guard let former, former.revision <= present.revision else { return }
    record("\(cache) reads the changes of \(view) of \(layout) since \(former.revision)")
    let changes = try caches[cache].changes(of: layout, since: former.revision, showing: view)
    #expect(changes.revision == present.revision)
    if changes.updates.everything { return }
    changes.updates.expectToLead(from: former.sections, to: present.sections, "\(view)")
    let context = changes.layouts.first?.context ?? InvalidationContext()
    #expect(context.reason == nil)
    context.expectComplete(before: former.oracle, after: present.oracle, "\(view)")
    if !changes.layouts.isEmpty { count("view context") }
    try caches[cache].read(from: layout, since: former.revision, to: nil, showing: view) {
      first, _ in
      try compareAll(#require(first), former.oracle)
    }
  }
}

/// A view as an observer has seen it.
struct WorldViewState {
  var sections: [OracleSection]
  var oracle: Oracle
  var revision: Int
}

extension WorldDataset {
  /// The members of the items' data.
  fileprivate var values: [[UInt8]: ViewModel.Values] {
    var values: [[UInt8]: ViewModel.Values] = [:]
    for (key, data) in data {
      let number = data.json.dropFirst(5).first?.wholeNumberValue ?? 0
      values[Array(key.string.utf8)] = [
        "n": .number("\(number)", rank: number), "t": .text("", rank: nil),
      ]
    }
    return values
  }
}

extension ViewModel.View {
  /// A view of items whose data have a digit `n`.
  ///
  /// - Parameter keys: Keys of items, which may be listed.
  fileprivate static func ofWorld(
    _ keys: [String], using generator: inout SeededGenerator
  ) throws -> ViewModel.View {
    if generator.oneIn(4) { return try .listing(keys + ["none"], using: &generator) }
    func digits(_ count: Int) -> [OracleFilter.Value] {
      (0..<count).map { _ in
        let digit = Int.random(in: 0...9, using: &generator)
        return .number("\(digit)", rank: digit)
      }
    }
    let tests: [(String, String, [OracleFilter.Value])] = [
      ("n", "<", digits(1)), ("n", "!=", digits(1)), ("n", "TO", digits(2)), ("n", "IN", digits(4)),
      ("n", "EXISTS", []), ("t", "EXISTS", []),
      ("key", "CONTAINS", [.text("\(Int.random(in: 0...9, using: &generator))", rank: nil)]),
    ]
    let filters = tests.shuffled(using: &generator).prefix(generator.oneIn(3) ? 2 : 1)
      .map { OracleFilter.test(field: $0, $1, $2) }
    var view = ViewModel.View()
    if generator.oneIn(2) { view.order = [.init(by: "n", descending: generator.oneIn(2))] }
    if view.order.isEmpty || !generator.oneIn(4) {
      view.filter = .joined(all: generator.oneIn(2), Array(filters))
      if generator.oneIn(4) { view.filter = view.filter.map { .not($0) } }
    }
    view.own = try DatasetView(where: view.filter?.text(using: &generator), order: view.order)
    return view
  }
}

/// The data of items by key, as filters and orders see them.
struct ViewModel {
  typealias Values = [String: OracleFilter.Value]

  var feed: OracleFeed
  var values: [[UInt8]: Values] = [:]

  /// A view, evaluated on plain lists.
  struct View {
    var filter: OracleFilter?
    var order: [DatasetOrder.Member] = []
    /// Listed keys, without a filter and an order.
    var keys: [String]?
    var own = DatasetView.all

    static func listing(_ keys: [String], using generator: inout SeededGenerator) throws -> View {
      var view = View()
      let keys = keys.shuffled(using: &generator).prefix(generator.oneIn(2) ? 5 : 200)
      view.keys = Array(keys)
      view.own = try DatasetView(keys: Array(keys))
      return view
    }

    static func random(using generator: inout SeededGenerator) throws -> View {
      var view = View()
      let isOrdered = generator.oneIn(2)
      // A view without both is the dataset, with its history and empty sections.
      if !isOrdered || !generator.oneIn(6) {
        let fields = ["a", "b", "A", "key", "section"]
        view.filter = .random(over: fields, depth: generator.oneIn(2) ? 0 : 2, using: &generator)
      }
      if isOrdered {
        let names = generator.oneIn(2) ? ["a"] : ["b", "a"]
        view.order = names.map { .init(by: $0, descending: generator.oneIn(2)) }
      }
      view.own = try DatasetView(where: view.filter?.text(using: &generator), order: view.order)
      return view
    }
  }

  private func fields(_ item: OracleItem, _ section: OracleSection) -> Values {
    var fields = values[Array(item.key.utf8)] ?? [:]
    fields["key"] = .text(item.key, rank: nil)
    fields["section"] = .text(section.key, rank: nil)
    return fields
  }

  func sections(of view: View) -> [OracleSection] {
    if let keys = view.keys {
      let items = keys.compactMap { key in
        feed.sections.flatMap(\.items).first { $0.key.utf8.elementsEqual(key.utf8) }
      }
      return items.isEmpty ? [] : [OracleSection(key: "main", items: items)]
    }
    var included: [OracleSection] = []
    for section in feed.sections {
      var own = section
      own.items = section.items.filter { view.filter?.matches(fields($0, section)) ?? true }
      if !own.items.isEmpty { included.append(own) }
    }
    guard !view.order.isEmpty else { return included }
    let items = included.flatMap(\.items).sorted { precedes($0, $1, in: view.order) }
    return items.isEmpty ? [] : [OracleSection(key: "main", items: items)]
  }

  private func precedes(
    _ left: OracleItem, _ right: OracleItem, in order: [DatasetOrder.Member]
  ) -> Bool {
    for member in order {
      let one = values[Array(left.key.utf8)]?[member.by] ?? .null
      let other = values[Array(right.key.utf8)]?[member.by] ?? .null
      let isBefore = OracleFilter.isOrdered(one, before: other)
      let isAfter = OracleFilter.isOrdered(other, before: one)
      if !isBefore && !isAfter { continue }
      // Items without a value are last in every order.
      return member.descending && one.isOrdered && other.isOrdered ? isAfter : isBefore
    }
    return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
  }
}

extension OracleFilter.Value {
  fileprivate var isOrdered: Bool {
    switch self {
    case .number, .text: true
    case .null, .bool, .list, .object: false
    }
  }
}

extension DatasetView {
  fileprivate static var all: DatasetView {
    do { return try DatasetView() } catch { preconditionFailure("\(error)") }
  }
}
