extension BatchOperation {
  /// The operation that a line's object states.
  ///
  /// - Throws: The first problem, in the order `op`, members that the operation does
  ///   not have or that occur twice, its members.
  init(_ object: BatchObject) throws(RecordProblem) {
    let op = try object.string("op")
    guard let name = BatchOperationName(rawValue: op) else {
      let names = BatchOperationName.allCases.map(\.rawValue).joined(separator: ", ")
      throw object.problem(
        .unknownOperation, "op", "op is \"\(excerpt(op))\", which is none of \(names)")
    }
    try object.requireMembers(name.members, of: name.rawValue)
    switch name {
    case .insert:
      var items: [BatchItem] = []
      try object.forEachItem { item throws(RecordProblem) in items.append(try BatchItem(item)) }
      self = .insert(items: items, at: try BatchDestination(object))
    case .delete:
      self = .delete(keys: try object.strings("keys"))
    case .move:
      self = .move(key: try object.string("key"), to: try BatchDestination(object))
    case .resize:
      self = .resize(
        key: try object.string("key"), width: try object.double("width"),
        height: try object.double("height"), span: try object.optionalSpan())
    case .prefer:
      self = .prefer(
        layout: try object.string("layout"), key: try object.string("key"),
        length: try object.doubleOrNull("length"))
    case .insertSection:
      self = .insertSection(
        key: try object.string("key"), index: try object.optionalInteger("index"))
    case .deleteSection:
      self = .deleteSection(key: try object.string("key"))
    case .moveSection:
      self = .moveSection(key: try object.string("key"), index: try object.integer("index"))
    case .invalidate:
      self = .invalidate(
        layout: try object.string("layout"), items: try object.optionalStrings("items"),
        sections: try object.optionalStrings("sections"),
        everything: try object.optionalFlag("everything"))
    }
  }
}

extension BatchItem {
  /// The item that an object of `items` states.
  fileprivate init(_ object: BatchObject) throws(RecordProblem) {
    try object.requireMembers(["key", "width", "height", "span"], of: "an item")
    self.init(
      key: try object.string("key"), width: try object.double("width"),
      height: try object.double("height"), span: try object.optionalSpan())
  }
}

extension BatchDestination {
  /// The place that an operation's object states.
  ///
  /// - Throws: `missingField` without a place, `conflictingMembers` with two.
  fileprivate init(_ object: BatchObject) throws(RecordProblem) {
    let places = ["section", "before", "after"].filter { object.has($0) }
    guard let place = places.first else {
      throw object.problem(
        .missingField, "section", "section is missing; say where with section, before or after")
    }
    guard places.count == 1 else {
      throw object.problem(
        .conflictingMembers, places[1], "\(places[1]) excludes \(place); keep one of them")
    }
    switch place {
    case "section":
      let section = try object.string("section")
      let index = try object.optionalInteger("index")
      self = index.map { .index($0, section: section) } ?? .end(section: section)
    default:
      guard !object.has("index") else {
        throw object.problem(
          .conflictingMembers, "index", "index counts within a section; it excludes \(place)")
      }
      let key = try object.string(place)
      self = place == "before" ? .before(key) : .after(key)
    }
  }
}
