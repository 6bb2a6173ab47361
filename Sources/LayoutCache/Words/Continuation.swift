/// Where a query that was cut by its limit goes on: the place of the first element
/// that was left out, in the order of answers.
public struct Continuation: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// Where the part goes on: the item of ``SectionPart/cells``, the number of one of
  /// ``SectionPart/elements`` among those that the query finds, and of
  /// ``SectionPart/cellElements`` the item times ``elementsPerItem`` and the number there;
  /// otherwise 0.
  var item: Int

  /// More than a cell has elements of a custom kind.
  static let elementsPerItem = 1 << 10

  static let start = Continuation(section: 0, part: .background, item: 0)

  init(section: Int, part: SectionPart, item: Int = 0) {
    self.section = section
    self.part = part
    self.item = item
  }

  /// A text to hand out and take back: the three numbers, as "3.2.117".
  public var token: String { "\(section).\(part.rawValue).\(item)" }

  /// Reads a token.
  ///
  /// - Returns: `nil` for a text that is none.
  public init?(token: String) {
    let numbers = token.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 3, let section = numbers[0], let raw = numbers[1],
      let item = numbers[2], let part = SectionPart(rawValue: raw), section >= 0, item >= 0
    else { return nil }
    self.init(section: section, part: part, item: item)
  }
}

/// The parts of a section in the order of answers.
enum SectionPart: Int, Hashable, Sendable, Comparable {
  case background, header, cells, footer
  /// What a custom kind has beside its cells, for the section and for each of them.
  case elements, cellElements

  private static let inOrder: [SectionPart] = [
    .background, .elements, .header, .cells, .cellElements, .footer,
  ]

  static func < (lhs: Self, rhs: Self) -> Bool {
    guard lhs != rhs else { return false }
    return inOrder.first { $0 == lhs || $0 == rhs } == lhs
  }
}
