package import LayoutCache
package import LayoutGeometry

/// A rectangle of a layout with its elements, to be drawn.
package struct Picture: Sendable {
  /// The maximum number of elements: viewers do not show larger documents.
  package static let elementsMax = 100_000

  var title: String
  /// The canonical name of the layout.
  package var layout: String
  package var revision: Int
  package var rect: Rect
  /// The elements, from the lowest to the topmost.
  package var elements: [Element]
  /// The legend; `nil` for none.
  package var changes: Changes?

  /// An element with its label.
  package struct Element: Sendable {
    package var attributes: LayoutAttributes
    /// A cell's title, if its item's data has one, else its key; a section's key.
    var text: String
    /// The creator of a cell's item, if its data has one.
    var note: String?
    package var mark: Mark?
  }

  /// A rectangle with more elements than a picture may have.
  package struct TooManyElements: Error {}

  /// Queries a layout for a rectangle.
  ///
  /// - Throws: ``TooManyElements``; `LayoutCacheError`.
  package init(
    of rect: Rect, in snapshot: LayoutSnapshot, elementsMax: Int = Self.elementsMax
  ) throws {
    let page = try snapshot.elements(in: rect, limit: elementsMax)
    if page.next != nil { throw TooManyElements() }
    let data = try snapshot.data(of: page.elements).data
    self.rect = rect
    layout = snapshot.layout.layout
    revision = snapshot.revision
    title = "\(snapshot.layout.dataset), layout \(layout), revision \(revision)"
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

  /// - Parameter data: The data of a cell's item.
  fileprivate init(_ attributes: LayoutAttributes, data: ItemData?) {
    self.attributes = attributes
    let isOfSection = [.supplementary(kind: .header), .supplementary(kind: .footer)]
      .contains(attributes.category)
    text = isOfSection ? attributes.sectionKey : attributes.representedElementKind ?? ""
    if case .cell(let key) = attributes.category {
      text = data?.firstString(Self.titles) ?? key
      note = data?.firstString(Self.makers)
    }
  }
}

extension ItemData {
  /// Returns the first nonempty text among some members.
  fileprivate func firstString(_ members: [String]) -> String? {
    for member in members {
      if let text = string(member), !text.isEmpty { return text }
    }
    return nil
  }
}

extension LayoutAttributes {
  /// The order of elements of one z-index: a pinned header is above the cells.
  fileprivate var drawingRank: Int {
    switch category {
    case .decoration: 0
    case .cell: 1
    case .supplementary: 2
    }
  }
}
