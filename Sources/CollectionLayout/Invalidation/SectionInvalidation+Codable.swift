import LayoutGeometry

extension SectionInvalidation: Codable {
  private enum CodingKeys: String, CodingKey {
    case section, items, columns, interval, start, supplementaryElements, decorationElements
  }

  /// Decodes a section's changes, including those printed by the command, whose ``start`` is
  /// zero and whose ``interval`` is relative to the content's leading edge.
  ///
  /// - Throws: `DecodingError`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func wrong(_ key: CodingKeys, _ detail: String) -> DecodingError {
      .dataCorruptedError(forKey: key, in: values, debugDescription: detail)
    }
    let start = try values.decodeIfPresent(Length.self, forKey: .start) ?? .zero
    self.init(section: try values.decode(Int.self, forKey: .section), start: start)
    for range in try values.decode([[Int]].self, forKey: .items) {
      guard let items = Range(firstAndLast: range) else {
        throw wrong(.items, "\(range) is not a first and a last item")
      }
      self.items.insert(contentsOf: items)
    }
    for column in try values.decode([Int].self, forKey: .columns) {
      guard let column = Range(firstAndLast: [column, column]) else {
        throw wrong(.columns, "\(column) is not a column")
      }
      columns.insert(contentsOf: column)
    }
    if let edges = try values.decodeIfPresent([Length].self, forKey: .interval) {
      guard edges.count == 2, edges[0] <= edges[1] else {
        throw wrong(.interval, "\(edges) is not a start and an end")
      }
      interval = (edges[0] - start)..<(edges[1] - start)
    }
    supplementaryElements =
      try values.decodeIfPresent(
        Set<LayoutAttributes.SupplementaryKind>.self, forKey: .supplementaryElements) ?? []
    decorationElements =
      try values.decodeIfPresent(Set<String>.self, forKey: .decorationElements) ?? []
  }

  /// Encodes the items as pairs of a first and a last index, the columns individually, and the
  /// interval from the content's leading edge; a zero ``start`` and empty sets of other
  /// elements are omitted.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(section, forKey: .section)
    try values.encode(
      items.ranges.map { [$0.lowerBound, $0.upperBound - 1] }, forKey: .items)
    try values.encode(Array(columns.ranges.joined()), forKey: .columns)
    if let interval = contentInterval {
      try values.encode([interval.lowerBound, interval.upperBound], forKey: .interval)
    }
    if start != .zero { try values.encode(start, forKey: .start) }
    if !supplementaryElements.isEmpty {
      try values.encode(
        supplementaryElements.sorted { $0.rawValue < $1.rawValue }, forKey: .supplementaryElements)
    }
    if !decorationElements.isEmpty {
      try values.encode(decorationElements.sorted(), forKey: .decorationElements)
    }
  }
}

extension Range<Int> {
  /// Creates the range of a first and a last number; `nil` for other input.
  fileprivate init?(firstAndLast numbers: [Int]) {
    guard numbers.count == 2, numbers[0] <= numbers[1], numbers[1] < .max else { return nil }
    self = numbers[0]..<(numbers[1] + 1)
  }
}

extension SectionInvalidation: CustomStringConvertible {
  /// The section with its changed items, columns and interval, all half-open, and other
  /// elements: "section 3: items 4..<10, 12..<13; columns 0..<1; interval 20..<360.5; footer".
  public var description: String {
    func list(_ set: RangeSet<Int>) -> String {
      set.ranges.map { "\($0)" }.joined(separator: ", ")
    }
    var facts: [String] = []
    if !items.isEmpty { facts.append("items \(list(items))") }
    if !columns.isEmpty { facts.append("columns \(list(columns))") }
    if let interval { facts.append("interval \(interval)") }
    facts += supplementaryElements.map(\.rawValue).sorted() + decorationElements.sorted()
    return "section \(section): " + (facts.isEmpty ? "nothing" : facts.joined(separator: "; "))
  }
}
