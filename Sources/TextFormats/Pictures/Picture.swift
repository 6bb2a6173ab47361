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

  /// An element, and what is written on it.
  package struct Element: Sendable {
    var attributes: LayoutAttributes
    /// A cell's title, where its item carries one, else its key; a section's key.
    var text: String
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
    }.map { Element($0.element, title: data[$0.offset]?.string("title")) }
  }
}

extension Picture.Element {
  /// - Parameter title: What the item carries by this name.
  fileprivate init(_ attributes: LayoutAttributes, title: String?) {
    self.attributes = attributes
    text = attributes.sectionKey
    if case .cell(let key) = attributes.category { text = title ?? key }
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
