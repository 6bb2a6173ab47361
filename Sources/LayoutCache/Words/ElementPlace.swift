/// A place in the order of answers: that of the first element behind it.
///
/// Between two sections it is the place of the second one's ``SectionPart/background``,
/// which is the first of its elements, whether there is one or not.
struct ElementPlace: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// The item, where the part is ``SectionPart/cells``; otherwise 0. Behind a section's last
  /// item it is the number of its items.
  var item: Int

  static let start = ElementPlace(section: 0, part: .background, item: 0)

  init(section: Int, part: SectionPart, item: Int = 0) {
    self.section = section
    self.part = part
    self.item = item
  }

  /// The place behind the element that has this one.
  var next: ElementPlace {
    switch part {
    case .background: ElementPlace(section: section, part: .header)
    case .header: ElementPlace(section: section, part: .cells)
    case .cells: ElementPlace(section: section, part: .cells, item: item + 1)
    case .footer: ElementPlace(section: section + 1, part: .background)
    }
  }
}

/// The parts of a section in the order of answers.
enum SectionPart: Int, Hashable, Sendable, Comparable {
  case background, header, cells, footer

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
