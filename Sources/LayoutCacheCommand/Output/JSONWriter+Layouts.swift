import CollectionLayout
import LayoutGeometry
import TextFormats

extension JSONWriter {
  /// Appends a member, unless its value is `nil`.
  mutating func optionalMember(_ name: String, _ text: String?) {
    if let text { member(name, text) }
  }

  /// Appends a member, unless its value is `nil`.
  mutating func optionalMember(_ name: String, _ number: Double?) {
    if let number { member(name, number) }
  }

  /// Appends a member, unless its value is `nil`.
  mutating func optionalMember(_ name: String, _ number: Int?) {
    if let number { member(name, number) }
  }

  /// Appends a member that is a number or `null`.
  mutating func nullableMember(_ name: String, _ number: Int?) {
    member(name)
    if let number { value(number) } else { null() }
  }

  /// Appends a member that is a number or `null`.
  mutating func nullableMember(_ name: String, _ number: Double?) {
    member(name)
    if let number { value(number) } else { null() }
  }

  /// Appends a member that is a string or `null`.
  mutating func nullableMember(_ name: String, _ text: String?) {
    member(name)
    if let text { value(text) } else { null() }
  }

  /// Appends a member that is an array of a value for each element.
  mutating func member<Elements: Sequence>(
    _ name: String, of elements: Elements,
    _ append: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows {
    member(name)
    beginArray()
    for element in elements { try append(&self, element) }
    endArray()
  }

  /// Appends a member with a width and a height in points.
  mutating func member(_ name: String, _ size: Size) {
    member(name)
    beginObject()
    member("width", size.width.points)
    member("height", size.height.points)
    endObject()
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
