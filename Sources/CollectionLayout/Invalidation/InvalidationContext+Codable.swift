import LayoutGeometry

// The JSON of a context, as `layoutcache update --json` prints it for each layout:
//
//     {"everything":false,"recomputedItems":1,"recomputedColumns":1,"changedNodes":4,
//      "contentSizeAdjustment":{"width":0,"height":12},
//      "contentOffsetAdjustment":{"x":0,"y":0},
//      "sections":[{"section":3,"items":[[4,9]],"columns":[0],"interval":[120,480.5]}]}
//
// Additional members, if not empty: `reason`, `coarse`, `dataSourceCounts` and `sectionChanges`
// here, `start` in a section, and `supplementaryElements` and `decorationElements` in both.

extension InvalidationContext: Codable {
  private enum CodingKeys: String, CodingKey {
    case everything, reason, coarse, dataSourceCounts, contentSizeAdjustment,
      contentOffsetAdjustment
    case sections, sectionChanges, supplementaryElements, decorationElements
  }

  /// Decodes a context, including one printed by the command.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    for change in try values.decodeIfPresent([SectionChange].self, forKey: .sectionChanges) ?? [] {
      append(change)
    }
    for section in try values.decode([SectionInvalidation].self, forKey: .sections) {
      invalidate(section)
    }
    if try values.decode(Bool.self, forKey: .everything) {
      reason = try values.decode(InvalidationReason.self, forKey: .reason)
    }
    isCoarse = try values.decodeIfPresent(Bool.self, forKey: .coarse) ?? false
    invalidateDataSourceCounts =
      try values.decodeIfPresent(Bool.self, forKey: .dataSourceCounts) ?? false
    supplementaryElements =
      try values.decodeIfPresent(
        Set<LayoutAttributes.SupplementaryKind>.self, forKey: .supplementaryElements) ?? []
    decorationElements =
      try values.decodeIfPresent(Set<String>.self, forKey: .decorationElements) ?? []
    contentSizeAdjustment = try values.decode(Size.self, forKey: .contentSizeAdjustment)
    contentOffsetAdjustment = try values.decode(Point.self, forKey: .contentOffsetAdjustment)
    work = try LayoutWork(from: decoder)
  }

  /// Encodes the context.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(invalidateEverything, forKey: .everything)
    try values.encodeIfPresent(reason, forKey: .reason)
    if isCoarse { try values.encode(true, forKey: .coarse) }
    if invalidateDataSourceCounts { try values.encode(true, forKey: .dataSourceCounts) }
    try work.encode(to: encoder)
    try values.encode(contentSizeAdjustment, forKey: .contentSizeAdjustment)
    try values.encode(contentOffsetAdjustment, forKey: .contentOffsetAdjustment)
    if !sectionChanges.isEmpty { try values.encode(sectionChanges, forKey: .sectionChanges) }
    try values.encode(sections, forKey: .sections)
    if !supplementaryElements.isEmpty {
      try values.encode(
        supplementaryElements.sorted { $0.rawValue < $1.rawValue }, forKey: .supplementaryElements)
    }
    if !decorationElements.isEmpty {
      try values.encode(decorationElements.sorted(), forKey: .decorationElements)
    }
  }
}

extension SectionChange: Codable {
  private enum CodingKeys: String, CodingKey { case op, index, from, to }

  private enum Operation: String, Codable { case insert, delete, move }

  /// Decodes `{"op":"insert","index":0}`, likewise `delete`, or `{"op":"move","from":1,"to":3}`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    switch try values.decode(Operation.self, forKey: .op) {
    case .insert: self = .insert(try values.decode(Int.self, forKey: .index))
    case .delete: self = .delete(try values.decode(Int.self, forKey: .index))
    case .move:
      self = .move(
        from: try values.decode(Int.self, forKey: .from),
        to: try values.decode(Int.self, forKey: .to))
    }
  }

  /// Encodes `op` with `index`, or with `from` and `to`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    switch self {
    case .insert(let index):
      try values.encode(Operation.insert, forKey: .op)
      try values.encode(index, forKey: .index)
    case .delete(let index):
      try values.encode(Operation.delete, forKey: .op)
      try values.encode(index, forKey: .index)
    case .move(let from, let to):
      try values.encode(Operation.move, forKey: .op)
      try values.encode(from, forKey: .from)
      try values.encode(to, forKey: .to)
    }
  }
}

extension InvalidationContext: CustomStringConvertible {
  /// A summary of the parts that a client must query again: "everything", "nothing", or "2
  /// sections, counts, content size by 0 x 12, content offset by (0, 12)".
  public var description: String {
    if invalidateEverything { return "everything" }
    var facts: [String] = []
    if !sections.isEmpty {
      facts.append("\(sections.count) section\(sections.count == 1 ? "" : "s")")
    }
    facts += supplementaryElements.map(\.rawValue).sorted() + decorationElements.sorted()
    if invalidateDataSourceCounts { facts.append("counts") }
    if contentSizeAdjustment != .zero {
      facts.append("content size by \(contentSizeAdjustment)")
    }
    if contentOffsetAdjustment != .zero {
      facts.append("content offset by \(contentOffsetAdjustment)")
    }
    return facts.isEmpty ? "nothing" : facts.joined(separator: ", ")
  }
}
