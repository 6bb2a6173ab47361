public import LayoutGeometry

/// The changes of one section of a layout.
public struct SectionInvalidation: Hashable, Sendable {
  /// The section's index after the change.
  public var section: Int
  /// The items whose index paths, or places in the section, may have changed, by index
  /// after the change. Where the section has columns, an item has moved in it only if
  /// it lies in one of ``columns``.
  public var items: RangeSet<Int>
  /// The columns in which an item moved, came or went; empty for kinds without
  /// columns.
  public var columns: RangeSet<Int>
  /// The interval of the main axis that holds all that moved in the section, came or
  /// went, before and after the change: from the section's own start, half-open.
  /// `nil` where nothing moved.
  public var interval: Range<Length>?
  /// Where the section starts in the content after the change.
  public var start: Length
  /// The headers and footers that moved or changed.
  public var supplementaryElements: Set<LayoutAttributes.SupplementaryKind>
  /// The kinds of the decorations that moved or changed.
  public var decorationElements: Set<String>

  /// Creates what a change did to a section; nothing where nothing is said.
  public init(
    section: Int, items: RangeSet<Int> = RangeSet(), columns: RangeSet<Int> = RangeSet(),
    interval: Range<Length>? = nil, start: Length = .zero,
    supplementaryElements: Set<LayoutAttributes.SupplementaryKind> = [],
    decorationElements: Set<String> = []
  ) {
    self.section = section
    self.items = items
    self.columns = columns
    self.interval = interval
    self.start = start
    self.supplementaryElements = supplementaryElements
    self.decorationElements = decorationElements
  }

  /// ``interval`` from the content's leading edge.
  public var contentInterval: Range<Length>? {
    interval.map { (start + $0.lowerBound)..<(start + $0.upperBound) }
  }

  /// Adds what the next change, or another part of this one, did to the section.
  mutating func formUnion(_ other: SectionInvalidation) {
    items.formUnion(other.items)
    columns.formUnion(other.columns)
    supplementaryElements.formUnion(other.supplementaryElements)
    decorationElements.formUnion(other.decorationElements)
    start = other.start
    guard let next = other.interval else { return }
    interval = interval?.hull(with: next) ?? next
  }
}

extension SectionInvalidation {
  /// Names elements that a custom kind has of its own.
  package mutating func name(_ kinds: Set<OwnElement.Kind>) {
    for kind in kinds {
      switch kind {
      case .supplementary(let kind): supplementaryElements.insert(kind)
      case .decoration(let kind): decorationElements.insert(kind)
      }
    }
  }
}
