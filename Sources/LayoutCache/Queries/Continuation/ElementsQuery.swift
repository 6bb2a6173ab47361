public import CollectionLayout
public import LayoutGeometry

/// A query for elements: of a rectangle, of a run of items, or after an earlier answer.
///
///     let page = try snapshot.elements(.items(from: .key("1997-04-01"), count: 50))
@nonexhaustive
public enum ElementsQuery: Hashable, Sendable {
  /// The elements whose frames intersect a rectangle, with pins and effects relative to
  /// `visible`, or to the rectangle itself if `nil`; at most `limit` of them.
  case rect(Rect, visible: Rect? = nil, limit: Int = .max)
  /// The elements whose laid out frames intersect a rectangle, without pins and effects; at
  /// most `limit` of them.
  case asLaidOut(Rect, limit: Int = .max)
  /// The cells of an item and of the following ones, in order, or of the preceding ones,
  /// nearest first; without effects and pins; at most `count` of them.
  case items(from: ItemReference, count: Int = .max, backward: Bool = false)
  /// The elements after a truncated answer; at most `limit` of them, by default that answer's
  /// limit.
  case after(Continuation, limit: Int? = nil)
}

extension ElementsQuery {
  /// The continuation of the query, whose scroll positions and direction apply.
  var continuation: Continuation? {
    if case .after(let continuation, _) = self { continuation } else { nil }
  }
}

/// A reference to an item in a query.
@nonexhaustive
public enum ItemReference: Hashable, Sendable {
  case key(String)
  case indexPath(LayoutAttributes.IndexPath)
  /// User input: a key or, if no item has that key, SECTION.ITEM.
  case text(String)
}

/// A position in the order of answers, before an element.
///
/// The position between two sections is that of the second one's ``SectionPart/background``,
/// the first of its elements, even if it has none.
struct ElementAddress: Hashable, Sendable {
  var section: Int
  var part: SectionPart
  /// For ``SectionPart/cells`` the item's index, or the item count after a section's last item.
  /// For ``SectionPart/top`` and ``SectionPart/bottom`` the index in the section's boundary. For
  /// For ``SectionPart/top`` and ``SectionPart/bottom`` the index in the section's boundary.
  /// For ``SectionPart/elements`` the index of a rule or decoration times ``elementsPerSource``
  /// plus the run's number, or the index among the elements of the rule that the query finds. For
  /// ``SectionPart/cellElements`` the item's index times ``elementsPerItem`` plus the element's
  /// index. Otherwise 0.
  var item: Int

  /// An upper bound on the number of elements of a rule or decoration of a section.
  static let elementsPerSource = Limits.itemsMax * 2
  /// An upper bound on the number of additional elements of a cell.
  static let elementsPerItem = 1 << 10

  /// The first address: that of the layout's background. Its header's is the next one.
  static let start = ElementAddress(section: 0, part: .layoutBackground)
  /// The last address: that of the layout's footer, after all sections.
  static let end = ElementAddress(section: Limits.sectionsMax, part: .layoutFooter)

  init(section: Int, part: SectionPart, item: Int = 0) {
    self.section = section
    self.part = part
    self.item = item
  }

  /// The position after the element at this one.
  var next: ElementAddress {
    switch part {
    case .layoutBackground: ElementAddress(section: section, part: .layoutHeader)
    case .layoutHeader: ElementAddress(section: section, part: .background)
    case .background: ElementAddress(section: section, part: .elements)
    case .header: ElementAddress(section: section, part: .top)
    case .elements, .top, .cells, .cellElements, .bottom:
      ElementAddress(section: section, part: part, item: item + 1)
    case .footer, .layoutFooter: ElementAddress(section: section + 1, part: .background)
    }
  }
}

/// The parts of a section. Their raw values are stored in tokens.
enum SectionPart: Int, Hashable, Sendable, Comparable {
  case background, header, cells, footer
  /// The additional elements of a section and of its cells.
  case elements, cellElements
  /// The elements of the whole layout, in the addresses ``ElementAddress/start`` to
  /// ``ElementAddress/end``.
  case layoutBackground, layoutHeader, layoutFooter
  /// The elements between the header and the cells, and between the cells and the footer.
  case top, bottom

  private static let inOrder: [SectionPart] = [
    .layoutBackground, .layoutHeader, .background, .elements, .header, .top, .cells,
    .cellElements, .bottom, .footer, .layoutFooter,
  ]

  /// The part of an element of a section's boundary.
  init(of element: BoundaryElement) {
    switch element.edge {
    case .top: self = element.isListed ? .top : .header
    case .bottom: self = element.isListed ? .bottom : .footer
    }
  }

  /// Whether the part is of the whole layout.
  var isOfLayout: Bool { self >= .layoutFooter || self <= .layoutHeader }

  /// Compares by the order of answers.
  static func < (lhs: Self, rhs: Self) -> Bool {
    guard lhs != rhs else { return false }
    return inOrder.first { $0 == lhs || $0 == rhs } == lhs
  }
}
