package import LayoutCache
import LayoutGeometry

/// The sections of a dataset, optionally with their positions in a layout.
package struct SectionListing {
  package struct Section {
    package private(set) var index: Int
    package private(set) var key: String
    var style: String?
    var firstItem: Int
    var itemCount: Int
    /// The section's position in a layout along the scrolling axis.
    var start: Length?
    var length: Length?
    /// The range and the position of a section that scrolls independently.
    var carousel: CarouselExtent?
  }

  package private(set) var sections: [Section] = []
  /// The canonical name of the layout, if one was requested.
  package private(set) var layout: String?
  /// The dataset's revision, if a layout was requested.
  package private(set) var revision: Int?

  /// The numbers of sections and items of a view, if the layout shows one.
  package private(set) var total: (sections: Int, items: Int)?

  /// Whether sections follow after the listed ones.
  package private(set) var hasMore = false

  package enum Start: Sendable {
    /// The section with an index; a listing from beyond the last one is empty.
    case index(Int)
    case after(key: String)
  }

  /// Reads sections in order.
  ///
  /// - Parameters:
  ///   - layout: The layout whose positions are listed; `nil` for none.
  ///   - offsets: The scroll positions of carousels in the layout.
  ///   - start: The first section.
  ///   - count: The maximum number of sections.
  /// - Returns: `nil` if the dataset has no section with the key.
  /// - Throws: `LimitError` if the index is below 0 or `count` below 1; the errors of reading.
  /// - Complexity: O(log sections + count) with a layout, O(sections) without.
  package init?(
    of dataset: String, layout: String?, scrolledTo offsets: CarouselOffsets = CarouselOffsets(),
    from start: Start = .index(0), count: Int = .max,
    in cache: LayoutCache
  ) throws {
    guard let layout else {
      var index = 0
      var first: Int? = if case .index(let first) = start { first } else { nil }
      try Self.check(from: first ?? 0, count: count)
      try cache.forEachSection(of: dataset) { section in
        if let first, index >= first {
          _ = add(
            Section(
              index: index, key: section.key, style: section.style, firstItem: section.firstItem,
              itemCount: section.itemCount), count: count)
        }
        index += 1
        if case .after(let key) = start, key.isExactly(section.key) { first = index }
      }
      if first == nil { return nil }
      return
    }
    let listing = try cache.read(LayoutID(layout, of: dataset)) {
      try SectionListing($0.scrolled(to: offsets), from: start, count: count)
    }
    guard let listing else { return nil }
    self = listing
  }

  /// Reads sections of a snapshot, like the other initializer.
  package init?(_ snapshot: LayoutSnapshot, from start: Start, count: Int) throws {
    let first: Int
    switch start {
    case .index(let index): first = index
    case .after(let key):
      guard let index = try snapshot.sectionIndex(forKey: key) else { return nil }
      first = index + 1
    }
    try Self.check(from: first, count: count)
    layout = snapshot.layout.layout
    revision = snapshot.revision
    if snapshot.isOfView { total = (snapshot.sectionCount, snapshot.itemCount) }
    try snapshot.forEachSection(from: first) { section in
      add(
        Section(
          index: first + sections.count, key: section.key, style: section.style,
          firstItem: section.firstItem, itemCount: section.itemCount, start: section.start,
          length: section.length, carousel: section.carousel),
        count: count)
    }
  }

  private static func check(from first: Int, count: Int) throws(LimitError) {
    try Limits.check(first, in: 0...Int.max, as: "from")
    try Limits.check(count, in: 1...Int.max, as: "count")
  }

  /// - Returns: Whether there is room for another one.
  private mutating func add(_ section: Section, count: Int) -> Bool {
    hasMore = sections.count >= count
    if !hasMore { sections.append(section) }
    return !hasMore
  }
}

extension SectionListing.Section {
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("section", \.index), AnswerField("sectionKey", as: "key", \.key),
      .optional("style", as: .text("style"), \.style),
      AnswerField("firstItem", as: "first item", \.firstItem),
      AnswerField("items", \.itemCount), .optional("start", as: .number("start"), \.start),
      .optional("length", as: .number("length"), \.length),
      .optional("carousel", as: .text("carousel"), \.carousel),
    ]
  }
}
