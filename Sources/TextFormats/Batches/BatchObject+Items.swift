import LayoutCache
import LayoutGeometry

// Parts that several operations share.

extension BatchObject {
  /// Returns the items in `items`, checked against `Limits`.
  func items() throws(RecordProblem) -> [Item] {
    var items: [Item] = []
    try forEachObject(of: "items") { object throws(RecordProblem) in items.append(try object.item())
    }
    return items
  }

  /// Returns the items in the `items` of an upsert, checked against `Limits`.
  func upsertedItems() throws(RecordProblem) -> [UpsertedItem] {
    var items: [UpsertedItem] = []
    try forEachObject(of: "items") { object throws(RecordProblem) in
      items.append(try object.upsertedItem())
    }
    return items
  }

  /// Returns the sections in the `sections` of a match, with their items.
  func matchedSections() throws(RecordProblem) -> [MatchedSection] {
    var sections: [MatchedSection] = []
    try forEachObject(of: "sections") { object throws(RecordProblem) in
      try object.requireMembers(["key", "style", "items"], of: "a section")
      sections.append(
        MatchedSection(
          key: try object.sectionKey("key"),
          style: object.has("style") ? try object.styleOrNull() : nil,
          items: try object.items()))
    }
    return sections
  }

  /// Returns how to handle items that are missing in the list of a match.
  func missingItems() throws(RecordProblem) -> MissingItems {
    guard has("missing") else { return .remove }
    let text = try string("missing")
    guard let missing = MissingItems(rawValue: text) else {
      let names = MissingItems.allCases.map(\.rawValue).joined(separator: " or ")
      throw problem(.unknownValue, "missing", "missing must be \(names), not \"\(excerpt(text))\"")
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
    let visibility = try optionalVisibility()
    return try limited(key) { () throws(LimitError) in
      try UpsertedItem(
        key: key, width: width, height: height, columnSpan: span, data: data,
        visibility: visibility)
    }
  }

  private static let itemMembers = ["key", "width", "height", "span", "hidden", "data"]

  /// Returns the item of an object in `items`.
  private func item() throws(RecordProblem) -> Item {
    try requireMembers(Self.itemMembers, of: "an item")
    let key = try key("key")
    let (width, height) = (try double("width"), try double("height"))
    let span = try optionalSpan() ?? 1
    let data = has("data") ? try dataOrNull("data", of: key) : nil
    let visibility = try optionalVisibility() ?? .shown
    return try limited(key) { () throws(LimitError) in
      try Item(
        key: key, width: width, height: height, columnSpan: span, data: data,
        visibility: visibility)
    }
  }

  /// Returns the data of an item, checked against `Limits`; `nil` for null.
  ///
  /// - Parameter key: The item's key.
  func dataOrNull(_ member: String, of key: String) throws(RecordProblem) -> ItemData? {
    guard let json = try objectOrNull(member) else { return nil }
    return try limited(key) { () throws(LimitError) in try ItemData(json: json) }
  }

  /// Returns how to handle the deletion of a missing key.
  func missingKeys() throws(RecordProblem) -> MissingKeys {
    guard has("missing") else { return .fail }
    let text = try string("missing")
    guard let missing = MissingKeys(rawValue: text) else {
      let names = MissingKeys.allCases.map(\.rawValue).joined(separator: " or ")
      throw problem(.unknownValue, "missing", "missing must be \(names), not \"\(excerpt(text))\"")
    }
    return missing
  }

  /// Returns the destination in the members `section`, `index`, `before` and `after`.
  ///
  /// - Throws: `missingField` without a destination, `conflictingMembers` with two.
  ///
  /// - Parameter isOptional: Whether it may be missing: then the dataset's order places the item.
  func destination(isOptional: Bool) throws(RecordProblem) -> ItemDestination {
    let places = ["section", "before", "after"].filter { has($0) }
    guard let place = places.first else {
      guard isOptional, !has("index") else {
        throw problem(.missingField, "section", "section is missing; give section, before or after")
      }
      return .ordered
    }
    guard places.count == 1 else {
      throw problem(.conflictingMembers, places[1], "\(places[1]) cannot be combined with \(place)")
    }
    guard place == "section" else {
      guard !has("index") else {
        throw problem(
          .conflictingMembers, "index",
          "index cannot be combined with \(place); it counts within a section")
      }
      let key = try itemKey(place)
      return place == "before" ? .before(key) : .after(key)
    }
    let section = try sectionKey("section")
    let index = try optionalInteger("index")
    return index.map { .index($0, section: section) } ?? .end(section: section)
  }

  /// Creates a value of an item, checked against `Limits`.
  ///
  /// - Parameter key: The item's key; `nil` for values of other objects.
  /// - Throws: `beyondLimit`, with the message of the library's error for the operation.
  func limited<Value>(
    _ key: String?, _ make: () throws(LimitError) -> Value
  ) throws(RecordProblem) -> Value {
    do {
      return try make()
    } catch {
      let refused = LayoutCacheError(.refused(operation: number, .limit(error, key: key)))
      throw problem(.beyondLimit, error.subject.name, refused.description)
    }
  }
}
