import CollectionLayout
import LayoutGeometry

// What custom kinds have besides their cells. None of it is stored, so it is neither pinned
// nor moved by an effect.

extension ElementSearch {
  /// Takes the elements that a section's kind has for the section.
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

  /// Takes the elements that it has for its cells, whose own places may lie outside.
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
      dividingBy: ElementPlace.elementsPerItem)
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
          let place = cell.index * ElementPlace.elementsPerItem + number
          guard take(element, searched, .cellElements, at: place) else { return false }
        }
      }
      return true
    }
  }

  /// Where a part of a section begins, or continues; `nil` where nothing of it is wanted.
  private func first(of part: SectionPart, in searched: SearchedSection) -> Int? {
    if next != nil { return nil }
    guard searched.section.index == start.section else { return 0 }
    return start.part > part ? nil : start.part == part ? start.item : 0
  }

  /// Takes an element.
  ///
  /// - Returns: `false` where the limit has been reached before it.
  private mutating func take(
    _ element: OwnElement, _ searched: SearchedSection, _ part: SectionPart, at place: Int
  ) -> Bool {
    let place = ElementPlace(section: searched.section.index, part: part, item: place)
    guard elements.count < limit else {
      next = place
      return false
    }
    elements.append(snapshot.attributes(of: element, searched))
    lastOwn = (elements.count, place)
    return true
  }
}
