public import LayoutGeometry

/// The changes of one section of a layout.
public struct SectionInvalidation: Hashable, Sendable {
  /// The section's index after the change.
  public var section: Int
  /// The items whose index paths, or positions in the section, may have changed, by index after
  /// the change. In a section with columns, only items in ``columns`` have moved.
  public var items: RangeSet<Int>
  /// The columns in which items moved, were inserted or deleted; empty for kinds without columns.
  public var columns: RangeSet<Int>
  /// The interval of the main axis that contains everything moved, inserted or deleted in the
  /// section, before and after the change: from the section's start, half-open, and with the
  /// transforms of custom kinds also beyond the section. `nil` if nothing moved.
  public var interval: Range<Length>?
  /// The section's start in the content after the change.
  public var start: Length
  /// The headers and footers that moved or changed.
  public var supplementaryElements: Set<LayoutAttributes.SupplementaryKind>
  /// The kinds of the decorations that moved or changed.
  public var decorationElements: Set<String>

  /// Creates the changes of a section; empty by default.
  public init(
    section: Int, items: RangeSet<Int> = RangeSet(), columns: RangeSet<Int> = RangeSet(),
    interval: Range<Length>? = nil, start: Length = .zero,
    supplementaryElements: Set<LayoutAttributes.SupplementaryKind> = [],
    decorationElements: Set<String> = []
  ) {
    (self.section, self.items, self.columns, self.interval) = (section, items, columns, interval)
    (self.start, self.supplementaryElements) = (start, supplementaryElements)
    self.decorationElements = decorationElements
  }

  /// The ``interval`` from the content's leading edge.
  public var contentInterval: Range<Length>? {
    interval.map { (start + $0.lowerBound)..<(start + $0.upperBound) }
  }

  /// Merges the next change, or another part of this one.
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
  /// Adds the kinds of elements.
  package mutating func name(_ kinds: some Sequence<CustomElement.Kind>) {
    for kind in kinds {
      switch kind {
      case .supplementary(let kind): supplementaryElements.insert(kind)
      case .decoration(let kind): decorationElements.insert(kind)
      }
    }
  }
}
