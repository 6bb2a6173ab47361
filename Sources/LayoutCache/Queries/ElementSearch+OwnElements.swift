import CollectionLayout
import LayoutGeometry

// Custom elements other than cells. They are not stored, and are neither pinned nor affected by
// effects.

extension ElementSearch {
  /// Appends a section's custom elements.
  mutating func takeElements(of searched: SearchedSection) throws {
    guard let own = searched.ownElements, !own.sectionKinds.isEmpty,
      let first = first(of: .elements, in: searched)
    else { return }
    var local = rect
    local.origin.y -= searched.contentStart
    let found = try own.elements(
      in: local, contentLength: searched.section.frame.contentLength)
    for number in found.indices.dropFirst(first) {
      guard take(found[number], searched, .elements, at: number) else { return }
    }
  }

  /// Appends the custom elements of a section's cells. The cells may be outside the rectangle.
  mutating func takeCellElements(of searched: SearchedSection) throws {
    guard let own = searched.ownElements, !own.cellKinds.isEmpty,
      let first = first(of: .cellElements, in: searched)
    else { return }
    var local = rect
    local.origin.y -= searched.contentStart
    let around = local.inset(
      by: EdgeInsets(
        top: -own.overhang, left: -own.overhang, bottom: -own.overhang, right: -own.overhang))
    let (firstItem, firstNumber) = first.quotientAndRemainder(
      dividingBy: ElementAddress.elementsPerItem)
    var items = snapshot.items(of: searched.section, session)
    var cells: [PlacedCell] = []
    try searched.placed.findItems(
      in: around, from: firstItem, items, into: &cells
    ) { cells in
      defer { cells.removeAll(keepingCapacity: true) }
      for cell in cells {
        let found = try own.elements(of: PlacedItem(cell, try items.item(at: cell.index)))
        for number in found.indices where found[number].frame.intersects(local) {
          if cell.index == firstItem && number < firstNumber { continue }
          var element = found[number]
          element.index = cell.index
          let place = cell.index * ElementAddress.elementsPerItem + number
          guard take(element, searched, .cellElements, at: place) else { return false }
        }
      }
      return true
    }
  }

  /// Returns the first wanted index of a section's part; `nil` if none is wanted.
  private func first(of part: SectionPart, in searched: SearchedSection) -> Int? {
    if next != nil { return nil }
    guard searched.section.index == start.section else { return 0 }
    return start.part > part ? nil : start.part == part ? start.item : 0
  }

  /// Appends an element.
  ///
  /// - Returns: `false` if the limit was reached before it.
  private mutating func take(
    _ element: CustomElement, _ searched: SearchedSection, _ part: SectionPart, at place: Int
  ) -> Bool {
    let place = ElementAddress(section: searched.section.index, part: part, item: place)
    guard elements.count < limit else {
      next = place
      return false
    }
    elements.append(snapshot.attributes(of: element, searched))
    lastOwn = (elements.count, place)
    return true
  }
}
