import CollectionLayout
import LayoutGeometry
import TextFormats

extension JSONWriter {
  /// Appends a member that is an array of a value for each element.
  mutating func member<Elements: Sequence>(
    _ name: String, of elements: Elements,
    _ append: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    member(name)
    try array(of: elements, append)
  }

  /// Appends an array of a value for each element.
  mutating func array<Elements: Sequence>(
    of elements: Elements, _ append: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    beginArray()
    for element in elements { try append(&self, element) }
    endArray()
  }

  /// Appends a member with a rectangle in points.
  mutating func member(_ name: String, _ rect: Rect) {
    member(name)
    beginObject()
    member("x", rect.minX.points)
    member("y", rect.minY.points)
    member("width", rect.size.width.points)
    member("height", rect.size.height.points)
    endObject()
  }

  /// Appends an element as queries print it: members equal to their default are
  /// left out.
  ///
  /// - Parameter includesColumn: Whether a cell's column is a member.
  mutating func value(_ element: LayoutAttributes, includesColumn: Bool = false) {
    beginObject()
    switch element.category {
    case .cell(let key):
      member("category", "cell")
      member("key", key)
    case .supplementary(let kind):
      member("category", "supplementary")
      member("kind", kind.rawValue)
    case .decoration(let kind):
      member("category", "decoration")
      member("kind", kind)
    }
    member("section", element.indexPath.section)
    member("sectionKey", element.sectionKey)
    optionalMember("item", element.indexPath.item)
    member("frame", element.frame)
    if element.zIndex != 0 { member("zIndex", element.zIndex) }
    appearance(of: element)
    if includesColumn { optionalMember("column", element.column) }
    endObject()
  }
}
