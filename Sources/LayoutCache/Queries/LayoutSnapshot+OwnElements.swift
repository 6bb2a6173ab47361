import CollectionLayout
import LayoutGeometry

extension LayoutSnapshot {
  /// Returns all custom elements of a section.
  ///
  /// - Complexity: O(custom elements of the section).
  func ownElements(of searched: SearchedSection) throws -> [CustomElement] {
    let length = searched.section.frame.contentLength
    return try searched.ownElements?.allElements(contentLength: length) ?? []
  }

  /// Returns a custom element of a cell.
  ///
  /// - Parameter item: The item's index in the section.
  /// - Returns: The element, with the item's index as its index; `nil` if there is none of the
  ///   kind, or no such item.
  /// - Complexity: O(log items) nodes.
  func ownElement(
    _ kind: CustomElement.Kind, ofItem item: Int, _ searched: SearchedSection, in state: QueryState
  ) throws -> CustomElement? {
    guard let own = searched.ownElements, own.cellKinds.contains(kind),
      (0..<searched.section.itemCount).contains(item)
    else { return nil }
    var items = items(of: searched.section, state.session)
    let cell = try searched.placed.item(at: item, items)
    var found = try own.elements(of: PlacedItem(cell, try items.item(at: item)))
      .first { $0.kind == kind }
    found?.index = item
    return found
  }

  /// Returns the attributes of a custom element; a cell's element has the item's index as its
  /// index.
  func attributes(of element: CustomElement, _ searched: SearchedSection) -> LayoutAttributes {
    var place = element.frame
    place.origin.y += searched.contentStart
    var attributes = LayoutAttributes(
      category: element.kind.category,
      indexPath: IndexPath(section: searched.section.index, item: element.index),
      sectionKey: searched.section.key, frame: plan.space.content(place, mainLength: mainLength),
      zIndex: element.zIndex)
    attributes.alpha = element.alpha
    attributes.isHidden = element.isHidden
    return attributes
  }
}

extension PlacedItem {
  /// - Parameter cell: The cell, with its frame from the start of the section's content.
  init(_ cell: PlacedCell, _ item: LayoutItem) {
    self.init(
      index: cell.index, item: item, frame: cell.frame, zIndex: Int(cell.look.zIndex),
      alpha: cell.look.alpha, isHidden: cell.look.isHidden)
  }
}
