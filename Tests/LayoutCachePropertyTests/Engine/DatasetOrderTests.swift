import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// A value of a member, with its position in the order of values, by hand.
private struct OrderedValue: Hashable {
  /// The JSON of the value; `nil` without the member.
  var json: String?
  var position: Int

  /// Groups of equal values, in order.
  static let groups: [[String?]] = [
    ["-1e400"], ["-1e300"],
    // Integers beyond 64 bits are doubles.
    ["-9223372036854775809", "-9223372036854775808", "-9.223372036854775808e18"],
    ["-9007199254740993"], ["-9007199254740992"], ["-1.5"], ["-1", "-1.0"], ["0", "-0", "0e9"],
    ["5e-324"], ["0.5"], ["1"], ["9007199254740992", "9007199254740992.0"], ["9007199254740993"],
    ["9223372036854775807"], ["9223372036854775808", "9.223372036854775808e18"], ["1e400"],
    [#""0000-01-01""#], [#""1969-12-31T23:59:59.999999999Z""#],
    [#""1970-01-01""#, #""1970-01-01T00:00:00Z""#, #""1970-01-01T01:00:00+01:00""#],
    [#""1970-01-01T00:00:00.000000001Z""#], [#""1970-01-01T00:00:00.000000002Z""#],
    [#""2024-05-17T08:30:00Z""#, #""2024-05-17T10:30:00+02:00""#], [#""2024-05-17T08:30:01Z""#],
    [#""2024-06-01""#], [#""9999-12-31T23:59:59Z""#],
    [#""""#], [#""\u0000""#], [#""\u0000a""#], [#"" a""#], [#""2024-02-30""#], [#""A""#],
    [#""a""#, #""\u0061""#], [#""a\u0000""#], [#""a\u0000b""#], [#""aa""#], [#""abcdefgh""#],
    [#""abcdefghi""#], [#""abcdefghj""#], [#""b""#], [#""é""#, #""\u00e9""#], [#""😀""#],
    [nil, "null", "true", "[1]", #"{"a":1}"#],
  ]

  static let all = groups.enumerated().flatMap { position, group in
    group.map { OrderedValue(json: $0, position: position) }
  }

  var isMissing: Bool { position == Self.groups.count - 1 }

  /// The date as written, of an instant.
  var date: Substring? {
    guard (16...24).contains(position) else { return nil }
    return json?.dropFirst().prefix(10)
  }
}

/// A sorted dataset as a plain list.
private struct OrderedModel {
  struct Entry {
    var a = OrderedValue(json: nil, position: OrderedValue.groups.count - 1)
    var b = OrderedValue(json: nil, position: OrderedValue.groups.count - 1)
    var section = "main"
    var height = 10
    var measured: Int?

    var data: ItemData? {
      let members = [("a", a), ("b", b)].compactMap { name, value in
        value.json.map { "\"\(name)\":\($0)" }
      }
      return members.isEmpty ? nil : try! ItemData(json: "{\(members.joined(separator: ","))}")
    }

    func item(_ key: String) throws -> Item {
      try Item(key: key, width: 10, height: Double(height), data: data)
    }

    func upserted(_ key: String) throws -> UpsertedItem {
      try UpsertedItem(
        key: key, width: 10, height: Double(height), data: data.map { .set($0) } ?? .remove)
    }
  }

  var order: DatasetOrder
  var entries: [String: Entry] = [:]
  /// The stated sections, if they are not derived.
  var sections: [String] = []

  private func section(of entry: Entry) -> String {
    guard let sections = order.sections else { return entry.section }
    return entry.a.date.map { String($0.prefix(sections.part == .month ? 7 : 10)) } ?? "none"
  }

  private func precedes(_ left: String, _ right: String) -> Bool {
    let (first, second) = (entries[left]!, entries[right]!)
    for member in order.members {
      let (x, y) = member.by == "a" ? (first.a, second.a) : (first.b, second.b)
      if x.position == y.position { continue }
      if x.isMissing || y.isMissing { return y.isMissing }
      return (x.position < y.position) != member.descending
    }
    return left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// The sections in order, each with its keys in order.
  var lists: [[String]] {
    let bySection = Dictionary(grouping: entries.keys) { section(of: entries[$0]!) }
    var keys = sections
    if let derived = order.sections {
      keys = bySection.keys.filter { $0 != "none" }.sorted {
        ($0 < $1) != derived.descending
      }
      if bySection["none"] != nil { keys.append("none") }
    }
    return keys.map { [$0] + (bySection[$0] ?? []).sorted(by: precedes) }
  }
}

/// Datasets whose items are sorted by their data.
@Suite struct DatasetOrderTests {
  private static func order(_ generator: inout SeededGenerator) -> DatasetOrder {
    var order = DatasetOrder([.init(by: "a", descending: generator.oneIn(2))])
    if generator.oneIn(2) { order.members.append(.init(by: "b", descending: generator.oneIn(2))) }
    if generator.oneIn(2) { order.members.swapAt(0, order.members.count - 1) }
    if generator.oneIn(2) {
      order.sections = .init(
        by: "a", part: generator.oneIn(2) ? .month : .day, descending: generator.oneIn(2))
    }
    if generator.oneIn(8) { order.members = [] }
    return order
  }

  private static func lists(_ cache: LayoutCache) throws -> [[String]] {
    var lists: [[String]] = []
    try cache.forEachSection(of: "feed") { lists.append([$0.key]) }
    try cache.forEachItem(of: "feed") { section, item in
      let index = lists.firstIndex { $0[0] == section }!
      lists[index].append(item.key)
    }
    return lists
  }

  private static func entry(
    _ model: OrderedModel, _ generator: inout SeededGenerator
  ) -> OrderedModel.Entry {
    var entry = OrderedModel.Entry()
    // Often one of a few values, so that ranks are equal.
    let values =
      generator.oneIn(3) ? Array(OrderedValue.all.prefix(4)) : OrderedValue.all
    entry.a = values.randomElement(using: &generator)!
    entry.b = OrderedValue.all.randomElement(using: &generator)!
    entry.section = model.sections.randomElement(using: &generator) ?? "main"
    entry.height = Int.random(in: 1...50, using: &generator)
    return entry
  }

  /// A random change of the dataset and of the model.
  private static func change(
    _ cache: LayoutCache, _ model: inout OrderedModel, _ generator: inout SeededGenerator
  ) throws {
    let derives = model.order.sections != nil
    let known = model.entries.keys.sorted()
    func fresh() -> [String] {
      (0..<Int.random(in: 1...12, using: &generator)).map { _ in
        "k\(Int.random(in: 0..<400, using: &generator))"
      }
    }
    func destination(_ section: String) -> ItemDestination {
      derives ? .ordered : .end(section: section)
    }
    var operations: [BatchOperation] = []
    if !derives && model.sections.isEmpty {
      model.sections = ["main"]
      operations.append(.insertSection(key: "main"))
    }
    for _ in 0..<Int.random(in: 1...3, using: &generator) {
      let key = model.entries.keys.sorted().randomElement(using: &generator)
      switch Int.random(in: 0..<8, using: &generator) {
      case 0:
        let section = model.sections.randomElement(using: &generator) ?? "main"
        let keys = Set(fresh()).filter { model.entries[$0] == nil }.sorted()
        var items: [Item] = []
        for key in keys {
          model.entries[key] = entry(model, &generator)
          model.entries[key]!.section = section
          items.append(try model.entries[key]!.item(key))
        }
        operations.append(.insert(items, at: destination(section)))
      case 1, 2:
        let section = model.sections.randomElement(using: &generator) ?? "main"
        let moving = !derives && generator.oneIn(2)
        var items: [UpsertedItem] = []
        for key in Set(fresh()).sorted() {
          var new = entry(model, &generator)
          let old = model.entries[key]
          new.section = old == nil || moving ? section : old!.section
          new.measured = old?.height == new.height ? old?.measured : nil
          model.entries[key] = new
          items.append(try new.upserted(key))
        }
        operations.append(.upsert(items, section: derives ? nil : section, moving: moving))
      case 3, 4:
        guard let key else { continue }
        let new = entry(model, &generator)
        (model.entries[key]!.a, model.entries[key]!.b) = (new.a, new.b)
        operations.append(.data(key: key, model.entries[key]!.data))
      case 5:
        let gone = known.filter { model.entries[$0] != nil && generator.oneIn(6) }
        for key in gone { model.entries[key] = nil }
        operations.append(.delete(keys: gone))
      case 6:
        guard let key else { continue }
        let height = Int.random(in: 1...50, using: &generator)
        if height != model.entries[key]!.height { model.entries[key]!.measured = nil }
        model.entries[key]!.height = height
        operations.append(
          .resize(key: key, size: Size(width: 10, height: Length(points: Double(height))!)))
      default:
        guard let key, model.entries[key]!.measured == nil else { continue }
        model.entries[key]!.measured = 77
        operations.append(.prefer(layout: "phone", key: key, length: 77))
      }
    }
    try cache.update("feed", with: operations)
  }

  /// A change of everything, or of its order.
  private static func rebuild(
    _ cache: LayoutCache, _ model: inout OrderedModel, _ generator: inout SeededGenerator
  ) throws {
    switch Int.random(in: 0..<4, using: &generator) {
    case 0:
      // The stated sections are those that exist.
      let lists = try lists(cache)
      var items: [String: String] = [:]
      for list in lists { for key in list.dropFirst() { items[key] = list[0] } }
      model.order = order(&generator)
      model.sections = model.order.sections == nil ? lists.map { $0[0] } : []
      for (key, section) in items { model.entries[key]!.section = section }
      try cache.sortDataset("feed", by: model.order)
    case 1, 2:
      let keeps = generator.oneIn(2)
      var listed: [String: OrderedModel.Entry] = [:]
      for key in model.entries.keys.sorted() where generator.oneIn(2) {
        listed[key] = generator.oneIn(2) ? model.entries[key] : entry(model, &generator)
      }
      for number in 0..<5 { listed["m\(number)"] = entry(model, &generator) }
      let sections = model.order.sections == nil ? model.sections : ["any"]
      if sections.isEmpty { listed = [:] }
      for key in listed.keys {
        let old = model.entries[key]
        listed[key]!.measured = old?.height == listed[key]!.height ? old?.measured : nil
        if model.order.sections != nil { listed[key]!.section = "any" }
      }
      let list = try sections.map { section in
        MatchedSection(
          key: section,
          items: try listed.keys.shuffled(using: &generator)
            .filter { listed[$0]!.section == section }.map { try listed[$0]!.item($0) })
      }
      model.entries = keeps ? model.entries.merging(listed) { $1 } : listed
      if generator.oneIn(2) {
        try cache.update("feed", toMatch: list, missing: keeps ? .keep : .remove)
      } else {
        _ = try cache.importItems(into: "feed", mode: .match, missing: keeps ? .keep : .remove) {
          for section in list {
            try $0.addSection(section.key)
            for item in section.items { try $0.add(item, section: section.key) }
          }
        }
      }
    default:
      let mode = generator.oneIn(2) ? ImportMode.append : .replace
      if mode == .replace { (model.entries, model.sections) = ([:], []) }
      var added: [(String, OrderedModel.Entry)] = []
      for number in 0..<Int.random(in: 1...40, using: &generator) {
        let key = "i\(number)"
        var new = entry(model, &generator)
        if let old = model.entries[key] {
          new.section = old.section
          new.measured = old.height == new.height ? old.measured : nil
        } else if model.order.sections == nil, model.sections.isEmpty {
          model.sections = [new.section]
        }
        model.entries[key] = new
        added.append((key, new))
      }
      _ = try cache.importItems(into: "feed", mode: mode, onDuplicate: .update) {
        for (key, entry) in added { try $0.add(entry.upserted(key), section: entry.section) }
      }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func itemsStayInOrderWhateverChanges(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in PropertyRun.each(seed, rounds: 3) {
      var options = LayoutCacheOptions.randomShapes(using: &generator)
      // Some imports are sorted in a temporary database.
      if generator.oneIn(2) { options.importBytes = 1 << 10 }
      let cache = try LayoutCache.temporary(options: options)
      var model = OrderedModel(order: Self.order(&generator))
      if model.order.sections == nil { model.sections = ["s", "r"] }
      try cache.createDataset("feed", order: model.order)
      try cache.update("feed", with: model.sections.map { BatchOperation.insertSection(key: $0) })
      let layout = LayoutID("phone", of: "feed")
      try cache.setLayout(
        layout,
        to: ConfigurationText.decode(#"{"container":{"width":100},"section":{"columns":3}}"#))
      let other = try LayoutCache(path: cache.path, options: options)
      for step in 0..<30 {
        let before = (model, try cache.dataset("feed").revision)
        if generator.oneIn(6) {
          try Self.rebuild(cache, &model, &generator)
        } else {
          try Self.change(cache, &model, &generator)
          if generator.oneIn(4), try cache.dataset("feed").revision == before.1 + 1 {
            try cache.undo("feed")
            model = before.0
          }
        }
        let expected = model.lists
        let found = try Self.lists(generator.oneIn(3) ? other : cache)
        if found != expected {
          let place = zip(found, expected).first { $0 != $1 }
          Issue.record("step \(step), \(model.order): \(place.map { "\($0) is not \($1)" } ?? "")")
          return
        }
        #expect(try cache.dataset("feed").order == model.order)
        try cache.read(layout) { snapshot in
          for (section, list) in expected.enumerated() where list.count > 1 {
            let item = Int.random(in: 1..<list.count, using: &generator) - 1
            let path = LayoutAttributes.IndexPath(section: section, item: item)
            let cell = try snapshot.attributes(forKey: list[item + 1])
            #expect(cell?.indexPath == path)
            if let measured = model.entries[list[item + 1]]!.measured {
              #expect(cell?.size.height.points == Double(measured))
            }
          }
        }
        if step % 10 == 9 { #expect(try cache.verify().problems.isEmpty) }
      }
      let copy = try LayoutCache.temporary()
      try copy.load(cache.archive())
      #expect(try Self.lists(copy) == model.lists && copy.verify().problems.isEmpty)
    }
  }
}
