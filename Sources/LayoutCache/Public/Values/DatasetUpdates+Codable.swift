import CollectionLayout

// The JSON of updates, as `layoutcache update --json` prints it:
//
//     {"sections":[{"op":"insert","key":"1998","after":3}],
//      "items":[{"op":"move","key":"a","before":[0,4],"after":[3,0]}]}
//
// or {"everything":true,"reason":"import"}. Item positions are pairs of section and item index.

extension DatasetUpdates: Codable {
  private enum CodingKeys: String, CodingKey { case everything, reason, sections, items }

  /// Decodes the updates of a dataset's lists.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    if try values.decodeIfPresent(Bool.self, forKey: .everything) ?? false {
      reason = try values.decode(InvalidationReason.self, forKey: .reason)
      return
    }
    sections = try values.decode([Section].self, forKey: .sections)
    items = try values.decode([Item].self, forKey: .items)
  }

  /// Encodes only `everything` and `reason`, or `sections` and `items`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    if let reason {
      try values.encode(true, forKey: .everything)
      return try values.encode(reason, forKey: .reason)
    }
    try values.encode(sections, forKey: .sections)
    try values.encode(items, forKey: .items)
  }
}

extension DatasetUpdates.Section: Codable {
  private enum CodingKeys: String, CodingKey { case op, key, before, after }

  /// Decodes a section's positions; every `op` except `reload` follows from them.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      key: try values.decode(String.self, forKey: .key),
      before: try values.decodeIfPresent(Int.self, forKey: .before),
      after: try values.decodeIfPresent(Int.self, forKey: .after))
    let operation = try values.decodeIfPresent(DatasetUpdates.Operation.self, forKey: .op)
    isReload = operation == .reload
  }

  /// Encodes `op`, `key` and the existing positions.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(operation, forKey: .op)
    try values.encode(key, forKey: .key)
    try values.encodeIfPresent(before, forKey: .before)
    try values.encodeIfPresent(after, forKey: .after)
  }
}

extension DatasetUpdates.Item: Codable {
  private enum CodingKeys: String, CodingKey { case op, key, before, after }

  /// Decodes an item's change.
  ///
  /// - Throws: `DecodingError`, also for a position that is not a pair of section and item index.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func place(_ key: CodingKeys) throws -> LayoutAttributes.IndexPath? {
      guard let numbers = try values.decodeIfPresent([Int].self, forKey: key) else { return nil }
      guard numbers.count == 2 else {
        throw DecodingError.dataCorruptedError(
          forKey: key, in: values, debugDescription: "\(numbers) is not a section and an item")
      }
      return LayoutAttributes.IndexPath(section: numbers[0], item: numbers[1])
    }
    self.init(
      operation: try values.decode(DatasetUpdates.Operation.self, forKey: .op),
      key: try values.decode(String.self, forKey: .key),
      before: try place(.before), after: try place(.after))
  }

  /// Encodes `op`, `key` and the existing positions.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(operation, forKey: .op)
    try values.encode(key, forKey: .key)
    try values.encodeIfPresent(before?.numbers, forKey: .before)
    try values.encodeIfPresent(after?.numbers, forKey: .after)
  }
}

extension LayoutAttributes.IndexPath {
  /// The section index, and the item index if there is one.
  package var numbers: [Int] { [section] + (item.map { [$0] } ?? []) }
}
