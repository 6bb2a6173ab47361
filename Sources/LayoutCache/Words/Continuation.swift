/// Where a query that was cut by its limit goes on: the place of the first element
/// that was left out, in the order of answers.
public struct Continuation: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// The item, where the part is ``SectionPart/cells``; otherwise 0.
  var item: Int

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

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
