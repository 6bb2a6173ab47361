package import LayoutCache
package import LayoutGeometry

/// A rectangle of a layout with what lies in it, to be drawn.
package struct Picture: Sendable {
  /// More than that no viewer shows.
  package static let elementsMax = 100_000

  var title: String
  package var revision: Int
  package var rect: Rect
  /// From the lowest to the topmost.
  package var elements: [Element]
  /// The legend; `nil` for none.
  package var changes: Changes?

  /// An element, and what is written on it.
  package struct Element: Sendable {
    package var attributes: LayoutAttributes
    /// A cell's title, where its item carries one, else its key; a section's key.
    var text: String
    /// By whom a cell's item is, where it says so.
    var note: String?
    package var mark: Mark?
  }

  /// A rectangle that holds more than ``elementsMax`` elements.
  package struct TooManyElements: Error {}

  /// Queries a layout for a rectangle.
  ///
  /// - Throws: ``TooManyElements``; `LayoutCacheError`.
  package init(of rect: Rect, in snapshot: LayoutSnapshot) throws {
    let page = try snapshot.elements(in: rect, limit: Self.elementsMax)
    if page.next != nil { throw TooManyElements() }
    let data = try snapshot.data(of: page.elements).data
    self.rect = rect
    revision = snapshot.revision
    title =
      "\(snapshot.layout.dataset), layout \(snapshot.layout.layout), revision \(revision)"
    elements = page.elements.enumerated().sorted { first, second in
      (first.element.zIndex, first.element.drawingRank, first.offset)
        < (second.element.zIndex, second.element.drawingRank, second.offset)
    }.map { Element($0.element, data: data[$0.offset]) }
  }
}

extension Picture.Element {
  // The inspector page has the same lists.
  private static let titles = ["title", "name", "caption", "label", "text"]
  private static let makers = ["artist", "author", "creator", "by", "user", "subtitle"]

  /// - Parameter data: What the item of a cell carries.
  fileprivate init(_ attributes: LayoutAttributes, data: ItemData?) {
    self.attributes = attributes
    text = attributes.sectionKey
    if case .cell(let key) = attributes.category {
      text = data?.firstString(Self.titles) ?? key
      note = data?.firstString(Self.makers)
    }
  }
}

extension ItemData {
  /// The text of the first of some members that is one.
  fileprivate func firstString(_ members: [String]) -> String? {
    for member in members {
      if let text = string(member), !text.isEmpty { return text }
    }
    return nil
  }
}

extension LayoutAttributes {
  /// The order of elements of one z-index: a pinned header lies on the cells.
  fileprivate var drawingRank: Int {
    switch category {
    case .decoration: 0
    case .cell: 1
    case .supplementary: 2
    }
  }
}
