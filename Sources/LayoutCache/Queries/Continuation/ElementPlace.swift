/// A place in the order of answers: that of the first element after it.
///
/// Between two sections it is the place of the second one's ``SectionPart/background``,
/// which is the first of its elements, whether there is one or not.
struct ElementPlace: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// The item, where the part is ``SectionPart/cells``; after a section's last item it is
  /// the number of its items. Of ``SectionPart/elements`` the number among those that the query
  /// finds; of ``SectionPart/cellElements`` the item times ``elementsPerItem`` and the number
  /// there. Otherwise 0.
  var item: Int

  /// More than a cell has elements of a custom kind.
  static let elementsPerItem = 1 << 10

  static let start = ElementPlace(section: 0, part: .background, item: 0)

  init(section: Int, part: SectionPart, item: Int = 0) {
    self.section = section
    self.part = part
    self.item = item
  }

  /// The place after the element that has this one.
  var next: ElementPlace {
    switch part {
    case .background: ElementPlace(section: section, part: .elements)
    case .header: ElementPlace(section: section, part: .cells)
    case .elements, .cells, .cellElements:
      ElementPlace(section: section, part: part, item: item + 1)
    case .footer: ElementPlace(section: section + 1, part: .background)
    }
  }
}

/// The parts of a section. Their numbers are in tokens.
enum SectionPart: Int, Hashable, Sendable, Comparable {
  case background, header, cells, footer
  /// The elements of a custom kind besides its cells, for the section and for each of them.
  case elements, cellElements

  private static let inOrder: [SectionPart] = [
    .background, .elements, .header, .cells, .cellElements, .footer,
  ]

  /// By the order of answers.
  static func < (lhs: Self, rhs: Self) -> Bool {
    guard lhs != rhs else { return false }
    return inOrder.first { $0 == lhs || $0 == rhs } == lhs
  }
}
