package import LayoutCache
import LayoutGeometry

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

  /// Whether sections follow after those that were asked for.
  package private(set) var hasMore = false

  /// The first section that follows; `nil` where none does.
  package var next: Int? { hasMore ? sections.last.map { $0.index + 1 } : nil }

  /// Reads sections in order.
  ///
  /// - Parameters:
  ///   - layout: The layout that says where they are, if wanted.
  ///   - first: The first section wanted; beyond the last one there is none.
  ///   - count: How many at most.
  /// - Throws: `LayoutCacheError`: `limit` where `first` is below 0 or `count` below 1, and
  ///   what reading throws.
  /// - Complexity: O(log sections + count) with a layout, O(sections) without.
  package init(
    of dataset: String, layout: String?, from first: Int = 0, count: Int = .max,
    in cache: LayoutCache
  ) throws {
    guard let layout else {
      try Self.check(from: first, count: count)
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
    try Self.check(from: first, count: count)
    revision = snapshot.revision
    try snapshot.forEachSection(from: first) { section in
      add(
        Section(
          index: first + sections.count, key: section.key, firstItem: section.firstItem,
          itemCount: section.itemCount, start: section.start, length: section.length),
        count: count)
    }
  }

  private static func check(from first: Int, count: Int) throws {
    do {
      try Limits.check(first, in: 0...Int.max, as: "from")
      try Limits.check(count, in: 1...Int.max, as: "count")
    } catch {
      throw LayoutCacheError(.limit(error))
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
  /// The fields of a section.
  package static var fields: [AnswerField<Self>] {
    [
      AnswerField("section", \.index), AnswerField("sectionKey", as: "key", \.key),
      AnswerField("firstItem", as: "first item", \.firstItem),
      AnswerField("items", \.itemCount), .optional("start", as: .number("start"), \.start),
      .optional("length", as: .number("length"), \.length),
    ]
  }
}
