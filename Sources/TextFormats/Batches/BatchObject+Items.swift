import LayoutCache
import LayoutGeometry

// Parts that several operations share.

extension BatchObject {
  /// The items that `items` states, held to `Limits`.
  func items() throws(RecordProblem) -> [Item] {
    var items: [Item] = []
    try forEachObject(of: "items") { object throws(RecordProblem) in items.append(try object.item())
    }
    return items
  }

  /// The items that `items` of an upsert states, held to `Limits`.
  func upsertedItems() throws(RecordProblem) -> [UpsertedItem] {
    var items: [UpsertedItem] = []
    try forEachObject(of: "items") { object throws(RecordProblem) in
      items.append(try object.upsertedItem())
    }
    return items
  }

  /// The sections that `sections` of a match states, with their items.
  func matchedSections() throws(RecordProblem) -> [MatchedSection] {
    var sections: [MatchedSection] = []
    try forEachObject(of: "sections") { object throws(RecordProblem) in
      try object.requireMembers(["key", "items"], of: "a section")
      sections.append(
        MatchedSection(key: try object.sectionKey("key"), items: try object.items()))
    }
    return sections
  }

  /// How to handle what the list of a match does not have.
  func missingItems() throws(RecordProblem) -> MissingItems {
    guard has("missing") else { return .remove }
    let text = try string("missing")
    guard let missing = MissingItems(rawValue: text) else {
      let names = MissingItems.allCases.map(\.rawValue).joined(separator: " or ")
      throw problem(.unknownValue, "missing", "missing is \(names), not \"\(excerpt(text))\"")
    }
    return missing
  }

  private func upsertedItem() throws(RecordProblem) -> UpsertedItem {
    try requireMembers(Self.itemMembers, of: "an item")
    let key = try key("key")
    let (width, height) = (try double("width"), try double("height"))
    let span = try optionalSpan()
    let data: UpsertedItem.DataChange =
      has("data") ? try dataOrNull("data", of: key).map { .set($0) } ?? .remove : .none
    return try limited(key) { () throws(LimitError) in
      try UpsertedItem(key: key, width: width, height: height, columnSpan: span, data: data)
    }
  }

  private static let itemMembers = ["key", "width", "height", "span", "data"]

  /// The item that an object of `items` states.
  private func item() throws(RecordProblem) -> Item {
    try requireMembers(Self.itemMembers, of: "an item")
    let key = try key("key")
    let (width, height) = (try double("width"), try double("height"))
    let span = try optionalSpan() ?? 1
    let data = has("data") ? try dataOrNull("data", of: key) : nil
    return try limited(key) { () throws(LimitError) in
      try Item(key: key, width: width, height: height, columnSpan: span, data: data)
    }
  }

  /// The data of an item, held to `Limits`; nil where they are null.
  ///
  /// - Parameter key: The item's key.
  func dataOrNull(_ member: String, of key: String) throws(RecordProblem) -> ItemData? {
    guard let json = try objectOrNull(member) else { return nil }
    return try limited(key) { () throws(LimitError) in try ItemData(json: json) }
  }

  /// How to handle the deletion of a missing key.
  func missingKeys() throws(RecordProblem) -> MissingKeys {
    guard has("missing") else { return .fail }
    let text = try string("missing")
    guard let missing = MissingKeys(rawValue: text) else {
      let names = MissingKeys.allCases.map(\.rawValue).joined(separator: " or ")
      throw problem(.unknownValue, "missing", "missing is \(names), not \"\(excerpt(text))\"")
    }
    return missing
  }

  /// The place that the members `section`, `index`, `before` and `after` state.
  ///
  /// - Throws: `missingField` without a place, `conflictingMembers` with two.
  func destination() throws(RecordProblem) -> ItemDestination {
    let places = ["section", "before", "after"].filter { has($0) }
    guard let place = places.first else {
      throw problem(
        .missingField, "section", "section is missing; say where with section, before or after")
    }
    guard places.count == 1 else {
      throw problem(
        .conflictingMembers, places[1], "\(places[1]) excludes \(place); keep one of them")
    }
    guard place == "section" else {
      guard !has("index") else {
        throw problem(
          .conflictingMembers, "index", "index counts within a section; it excludes \(place)")
      }
      let key = try itemKey(place)
      return place == "before" ? .before(key) : .after(key)
    }
    let section = try sectionKey("section")
    let index = try optionalInteger("index")
    return index.map { .index($0, section: section) } ?? .end(section: section)
  }

  /// A value of an item, held to `Limits` while it is made.
  ///
  /// - Parameter key: The item's key; `nil` for what is no item's.
  /// - Throws: `beyondLimit`, in the words in which the library refuses an operation.
  func limited<Value>(
    _ key: String?, _ make: () throws(LimitError) -> Value
  ) throws(RecordProblem) -> Value {
    do {
      return try make()
    } catch {
      let refused = RefusedOperation(number: number, reason: .limit(error, key: key))
      throw problem(.beyondLimit, error.subject.name, refused.description)
    }
  }
}
