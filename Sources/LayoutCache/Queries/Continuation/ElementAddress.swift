/// A position in the order of answers, before an element.
///
/// The position between two sections is that of the second one's ``SectionPart/background``,
/// the first of its elements, even if it has none.
struct ElementAddress: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// For ``SectionPart/cells`` the item's index, or the item count after a section's last item.
  /// For ``SectionPart/elements`` the index among the elements that the query finds. For
  /// ``SectionPart/cellElements`` the item's index times ``elementsPerItem`` plus the element's
  /// index. Otherwise 0.
  var item: Int

  /// An upper bound on the number of custom elements of a cell.
  static let elementsPerItem = 1 << 10

  static let start = ElementAddress(section: 0, part: .background, item: 0)

  init(section: Int, part: SectionPart, item: Int = 0) {
    self.section = section
    self.part = part
    self.item = item
  }

  /// The position after the element at this one.
  var next: ElementAddress {
    switch part {
    case .background: ElementAddress(section: section, part: .elements)
    case .header: ElementAddress(section: section, part: .cells)
    case .elements, .cells, .cellElements:
      ElementAddress(section: section, part: part, item: item + 1)
    case .footer: ElementAddress(section: section + 1, part: .background)
    }
  }
}

/// The parts of a section. Their raw values are stored in tokens.
enum SectionPart: Int, Hashable, Sendable, Comparable {
  case background, header, cells, footer
  /// The custom elements of a section and of its cells.
  case elements, cellElements

  private static let inOrder: [SectionPart] = [
    .background, .elements, .header, .cells, .cellElements, .footer,
  ]

  /// Compares by the order of answers.
  static func < (lhs: Self, rhs: Self) -> Bool {
    guard lhs != rhs else { return false }
    return inOrder.first { $0 == lhs || $0 == rhs } == lhs
  }
}
