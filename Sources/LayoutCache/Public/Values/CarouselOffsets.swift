public import LayoutGeometry

/// The scroll positions of carousels: how far each is scrolled from its leading edge, by section
/// key. A carousel without an entry is at 0.
///
///     let snapshot = snapshot.scrolled(to: ["hero": 390])
///
/// Queries clamp an offset to its carousel's range. Keys of other sections are ignored, because a
/// client's scroll positions may outlive a section.
public struct CarouselOffsets: Hashable, Sendable {
  /// The positive offsets.
  private var offsets: [ExactKey: Length] = [:]

  /// Creates the offsets of carousels that are not scrolled.
  public init() {}

  /// The offset of the section with a key; 0 without an entry. Negative offsets are stored as 0,
  /// since no carousel begins before 0.
  public subscript(key: String) -> Length {
    get { offsets[ExactKey(key)] ?? .zero }
    set { offsets[ExactKey(key)] = newValue > .zero ? newValue.bounded : nil }
  }

  /// Whether no carousel is scrolled.
  public var isEmpty: Bool { offsets.isEmpty }

  /// The scrolled carousels, ordered by the bytes of their keys.
  package var entries: [(key: String, offset: Length)] {
    offsets.map { (key: $0.key.string, offset: $0.value) }
      .sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }
}

extension CarouselOffsets: ExpressibleByDictionaryLiteral {
  /// Creates offsets by section key; of equal keys the last one applies.
  public init(dictionaryLiteral elements: (String, Length)...) {
    for (key, offset) in elements { self[key] = offset }
  }
}

/// The range in which a carousel scrolls, and its position.
public struct CarouselExtent: Hashable, Sendable {
  /// The length of the content along which the section scrolls: the insets, the items and the
  /// gaps between them.
  public var contentLength: Length
  /// The distance by which the section is scrolled from its leading edge, whatever the direction
  /// of reading.
  public var offset: Length
  /// The greatest offset; 0 if the content is not longer than the container.
  public var maximumOffset: Length

  /// - Parameters:
  ///   - contentLength: The content's length.
  ///   - containerLength: The length of its visible part.
  ///   - offset: The requested offset, which is clamped.
  init(contentLength: Length, in containerLength: Length, at offset: Length) {
    self.contentLength = contentLength
    maximumOffset = max(.zero, contentLength - containerLength)
    self.offset = max(.zero, min(offset, maximumOffset))
  }
}
