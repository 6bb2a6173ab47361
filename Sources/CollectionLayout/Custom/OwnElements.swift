package import LayoutGeometry

/// The elements of its own that a custom kind has, and where to look for them.
///
/// An object, because plans are copied for each section that a query meets, whatever its kind.
package final class OwnElements: Sendable {
  /// The kinds of elements that a section has.
  package let sectionKinds: Set<OwnElement.Kind>
  /// The kinds of elements that its cells have.
  package let cellKinds: Set<OwnElement.Kind>
  /// How far they reach beyond the content and the cells.
  package let overhang: Length
  private let kind: String
  private let layout: any DecoratedSectionLayout

  /// - Throws: `LimitError` or ``Misfit`` for kinds that can't be, or too far an overhang.
  init(_ layout: any DecoratedSectionLayout, kind: String) throws {
    self.layout = layout
    self.kind = kind
    sectionKinds = layout.sectionKinds
    cellKinds = layout.cellKinds
    overhang = layout.overhang
    try Limits.check(
      overhang, in: .zero...Limits.sideMax, as: LimitError.Subject("overhang of kind '\(kind)'"))
    for own in sectionKinds.union(cellKinds) {
      try Limits.check(name: own.name, as: LimitError.Subject("an element's kind"))
      if own == .supplementary(.header) || own == .supplementary(.footer) {
        throw Misfit(description: "kind '\(kind)' has a \(own.name) of its own")
      }
      if sectionKinds.contains(own) && cellKinds.contains(own) {
        throw Misfit(
          description: "kind '\(kind)' has '\(own.name)' for sections and for cells")
      }
    }
  }

  /// Why a kind's elements can't be.
  struct Misfit: Error, CustomStringConvertible {
    var description: String
  }

  /// The section's elements that intersect a rectangle of its content.
  ///
  /// - Throws: `LimitError` for an element beyond what lengths hold.
  package func elements(
    in rect: Rect, contentLength: Length
  ) throws(LimitError) -> [OwnElement] {
    let elements = layout.elements(in: rect, contentLength: contentLength)
    for element in elements { try check(element, of: sectionKinds, "sectionKinds") }
    return elements.filter { $0.frame.intersects(rect) }
  }

  /// All elements of the section.
  ///
  /// - Throws: As ``elements(in:contentLength:)``.
  package func allElements(contentLength: Length) throws(LimitError) -> [OwnElement] {
    let reach = Limits.contentLengthMax
    let rect = Rect(
      x: -reach, y: -overhang, width: reach + reach, height: contentLength + overhang + overhang)
    return try elements(in: rect, contentLength: contentLength)
  }

  /// The elements of a cell.
  ///
  /// - Throws: `LimitError` for an element beyond what lengths hold, or too many.
  package func elements(of cell: PlacedItem) throws(LimitError) -> [OwnElement] {
    let elements = layout.elements(of: cell)
    try Limits.check(
      elements.count, in: 0...max(cellKinds.count, 1),
      as: LimitError.Subject("elements of a cell of kind '\(kind)'"))
    for element in elements { try check(element, of: cellKinds, "cellKinds") }
    return elements
  }

  private func check(
    _ element: OwnElement, of kinds: Set<OwnElement.Kind>, _ list: String
  ) throws(LimitError) {
    precondition(
      kinds.contains(element.kind),
      "A rule with elements '\(element.kind.name)' says so in `\(list)`.")
    func subject(_ name: String) -> LimitError.Subject {
      LimitError.Subject("\(name) of an element of kind '\(kind)'")
    }
    let reach = -Limits.contentLengthMax...Limits.contentLengthMax
    let sides = Length.zero...Limits.contentLengthMax
    try Limits.check(element.index, in: 0...Limits.itemsMax, as: subject("index"))
    try Limits.check(element.frame.origin.x, in: reach, as: subject("x"))
    try Limits.check(element.frame.origin.y, in: reach, as: subject("y"))
    try Limits.check(element.frame.size.width, in: sides, as: subject("width"))
    try Limits.check(element.frame.size.height, in: sides, as: subject("height"))
    try Limits.check(
      element.zIndex, in: -Limits.customZIndexMax...Limits.customZIndexMax, as: subject("z-index"))
    try Limits.check(element.alpha, in: 0...1, as: subject("alpha"))
  }
}
