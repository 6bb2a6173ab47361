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

  /// Reads all sections.
  ///
  /// - Parameter layout: The layout that says where they are, if wanted.
  /// - Throws: `LayoutCacheError`.
  package init(of dataset: String, layout: String?, in cache: LayoutCache) throws {
    guard let layout else {
      try cache.forEachSection(of: dataset) { section in
        sections.append(
          Section(
            index: sections.count, key: section.key, firstItem: section.firstItem,
            itemCount: section.itemCount))
      }
      return
    }
    (sections, revision) = try cache.read(LayoutID(layout, of: dataset)) { snapshot in
      var sections: [Section] = []
      try snapshot.forEachSection { section in
        sections.append(
          Section(
            index: sections.count, key: section.key, firstItem: section.firstItem,
            itemCount: section.itemCount, start: section.start, length: section.length))
        return true
      }
      return (sections, snapshot.revision)
    }
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
