import CollectionLayout
import LayoutCache
import LayoutGeometry

/// A rectangle of a layout with what lies in it, to be drawn.
struct Picture {
  /// More than that no viewer shows.
  static let elementsMax = 100_000

  var title: String
  var revision: Int
  var rect: Rect
  /// From the lowest to the topmost.
  var elements: [Element]

  /// An element, and what is written on it.
  struct Element {
    var attributes: LayoutAttributes
    /// A cell's title, where its item carries one, else its key; a section's key.
    var text: String
  }

  /// Queries a layout for a rectangle.
  ///
  /// - Throws: ``Failure`` where it holds more than ``elementsMax`` elements.
  init(of rect: Rect, layout: String, dataset: String, in cache: LayoutCache) throws {
    let (revision, page, data) = try cache.read(LayoutID(layout, of: dataset)) { snapshot in
      let page = try snapshot.elements(in: rect, limit: Self.elementsMax)
      return (snapshot.revision, page, try snapshot.data(of: page.elements).data)
    }
    if page.next != nil {
      throw Failure(
        .usage,
        "the rectangle holds more than \(Self.elementsMax) elements; draw a smaller one")
    }
    self.rect = rect
    self.revision = revision
    title = "\(dataset), layout \(layout), revision \(revision)"
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
