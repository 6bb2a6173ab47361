package import LayoutCache

/// The sections of a dataset, and where a layout has them.
package struct SectionListing {
  package struct Section {
    var index: Int
    var key: String
    var firstItem: Int
    var itemCount: Int
    /// Where a layout has the section along the scrolling axis.
    var start: Length?
    var length: Length?
  }

  package private(set) var sections: [Section] = []
  /// The dataset's revision, where a layout is asked for.
  package private(set) var revision: Int?

  /// Whether sections follow behind those that were asked for.
  package private(set) var hasMore = false

  /// Reads sections in order.
  ///
  /// - Parameters:
  ///   - layout: The layout that says where they are, if wanted.
  ///   - first: The first section wanted.
  ///   - count: How many at most.
  /// - Throws: `LayoutCacheError`.
  /// - Complexity: O(log sections + count) with a layout, O(sections) without.
  package init(
    of dataset: String, layout: String?, from first: Int = 0, count: Int = .max,
    in cache: LayoutCache
  ) throws {
    guard let layout else {
      var index = 0
      try cache.forEachSection(of: dataset) { section in
        if index >= first {
          _ = add(
            Section(
              index: index, key: section.key, firstItem: section.firstItem,
              itemCount: section.itemCount), count: count)
        }
        index += 1
      }
      return
    }
    self = try cache.read(LayoutID(layout, of: dataset)) {
      try SectionListing($0, from: first, count: count)
    }
  }

  /// As the other, of a layout that is being read.
  package init(_ snapshot: LayoutSnapshot, from first: Int, count: Int) throws {
    revision = snapshot.revision
    try snapshot.forEachSection(from: first) { section in
      add(
        Section(
          index: first + sections.count, key: section.key, firstItem: section.firstItem,
          itemCount: section.itemCount, start: section.start, length: section.length),
        count: count)
    }
  }

  /// - Returns: Whether there is room for another.
  private mutating func add(_ section: Section, count: Int) -> Bool {
    hasMore = sections.count >= count
    if !hasMore { sections.append(section) }
    return !hasMore
  }
}

extension SectionListing.Section {
  /// What is said of a section.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("section", \.index), AnswerField("sectionKey", as: "key", \.key),
      AnswerField("firstItem", as: "first item", \.firstItem),
      AnswerField("items", \.itemCount), .optional("start", as: .number("start"), \.start),
      .optional("length", as: .number("length"), \.length),
    ]
  }
}
