package import LayoutGeometry

/// The additional elements of a custom kind, and their extent.
///
/// A class, because plans are copied for each section that a query visits, whatever its kind.
package final class OwnElements: Sendable {
  /// The kinds of elements of a section.
  package let sectionKinds: Set<CustomElement.Kind>
  /// The kinds of elements of cells.
  package let cellKinds: Set<CustomElement.Kind>
  /// The maximum extent beyond the content and the cells.
  package let overhang: Length
  private let kind: String
  private let layout: any DecoratedSectionLayout

  /// - Throws: `LimitError` or `ConfigurationError` for invalid kinds, or too large an overhang.
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
        throw ConfigurationError(
          .malformed(detail: "kind '\(kind)' declares a \(own.name), which is built in"))
      }
      if sectionKinds.contains(own) && cellKinds.contains(own) {
        throw ConfigurationError(
          .malformed(
            detail: "kind '\(kind)' declares '\(own.name)' both for sections and for cells"))
      }
    }
  }

  /// Returns the section's elements that intersect a rectangle of its content.
  ///
  /// - Throws: `LimitError` for an element beyond the range of lengths.
  package func elements(
    in rect: Rect, contentLength: Length
  ) throws(LimitError) -> [CustomElement] {
    let elements = layout.elements(in: rect, contentLength: contentLength)
    for element in elements { try check(element, of: sectionKinds, "sectionKinds") }
    return elements.filter { $0.frame.intersects(rect) }
  }

  /// Returns all elements of the section.
  ///
  /// - Throws: As ``elements(in:contentLength:)``.
  package func allElements(contentLength: Length) throws(LimitError) -> [CustomElement] {
    let reach = Limits.contentLengthMax
    let rect = Rect(
      x: -reach, y: -overhang, width: reach + reach, height: contentLength + overhang + overhang)
    return try elements(in: rect, contentLength: contentLength)
  }

  /// Returns the elements of a cell.
  ///
  /// - Throws: `LimitError` for an element beyond the range of lengths, or too many elements.
  package func elements(of cell: PlacedItem) throws(LimitError) -> [CustomElement] {
    let elements = layout.elements(of: cell)
    try Limits.check(
      elements.count, in: 0...max(cellKinds.count, 1),
      as: LimitError.Subject("elements of a cell of kind '\(kind)'"))
    for element in elements { try check(element, of: cellKinds, "cellKinds") }
    return elements
  }

  private func check(
    _ element: CustomElement, of kinds: Set<CustomElement.Kind>, _ list: String
  ) throws(LimitError) {
    precondition(
      kinds.contains(element.kind),
      "A rule with elements '\(element.kind.name)' must list them in `\(list)`.")
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
