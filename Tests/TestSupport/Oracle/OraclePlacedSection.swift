/// One section at its position along the main axis; all lengths in units.
struct OraclePlacedSection {
  let index: Int
  let section: OracleSection
  let settings: OracleSectionSettings
  let placement: OraclePlacement
  let firstItem: Int
  let start: Int64
  /// Units by which a carousel is scrolled, unclamped.
  var offset: Int64 = 0

  /// Leading inset, content and trailing inset.
  var bodyLength: Int64 {
    settings.inset.mainLeading + placement.length + settings.inset.mainTrailing
  }
  var length: Int64 { settings.top.length + bodyLength + settings.bottom.length }
  var end: Int64 { start + length }

  /// The scroll range and position of a carousel in a container; nil for other kinds.
  func carousel(in containerLength: Int64) -> OracleSectionSummary.Carousel? {
    guard let length = placement.scrollLength else { return nil }
    let maximum = max(0, length - containerLength)
    return OracleSectionSummary.Carousel(
      contentLength: length, offset: max(0, min(offset, maximum)), maximumOffset: maximum)
  }

  /// The section's elements in the order of an answer.
  ///
  /// - Parameters:
  ///   - frame: The elements of the layout, whose pinned ones come before those of sections.
  ///   - visible: The rectangle that pinned elements stay within; nil leaves them unpinned.
  ///   - numbers: The member n of items' data, by the bytes of the key.
  func elements(
    _ projection: OracleProjection, _ frame: OracleFrame, visible: UnitRect?,
    numbers: [[UInt8]: Double] = [:]
  ) -> [OracleElement] {
    let interval = visible.map(projection.mainInterval).map { whole in
      (start: whole.start + frame.header.pinnedLength, end: whole.end - frame.footer.pinnedLength)
    }
    var elements: [OracleElement] = []
    if let background = settings.background {
      elements.append(backgroundElement(background, projection))
    }
    elements += decorationElements(projection)
    elements += boundary(
      settings.top, visible: interval, isUnderLayout: frame.header.pinnedLength > 0, projection)
    let contentStart = start + settings.top.length + settings.inset.mainLeading
    let scrolled = carousel(in: projection.crossLength)?.offset ?? 0
    for (item, cell) in placement.cells.enumerated() {
      var element = OracleElement(
        category: .cell, key: section.items[item].key, section: index,
        sectionKey: section.key, item: item,
        frame: projection.frame(
          main: contentStart + cell.main, mainLength: cell.mainLength, cross: cell.cross - scrolled,
          crossLength: cell.crossLength),
        column: cell.column, isHidden: cell.isHidden)
      element.values = cell.values
      if let numbers = cell.transform3D {
        element.show(element.frame, by: OracleTransform(numbers: projection.transform(numbers)))
      }
      elements.append(element)
    }
    elements += cellElements(projection, scrolled: scrolled, numbers: numbers)
    return elements
      + boundary(
        settings.bottom, visible: interval, isUnderLayout: frame.footer.pinnedLength > 0,
        projection
      ).reversed()
  }

  /// The elements of one end, from outside inward.
  private func boundary(
    _ list: [OracleBoundary], visible: (start: Int64, end: Int64)?, isUnderLayout: Bool,
    _ projection: OracleProjection
  ) -> [OracleElement] {
    list.enumerated().map { number, element in
      let outer = list[..<number]
      let pinned = outer.filter(\.pins)
      var main: Int64
      if element.isBottom {
        main = end - Array(outer).length - element.length
        if let visible, element.pins {
          main = min(main, visible.end - pinned.length - element.length)
          main = max(main, start + settings.top.length)
        }
      } else {
        main = start + Array(outer).length
        if let visible, element.pins {
          main = max(main, visible.start + pinned.length)
          main = min(main, end - settings.bottom.length - element.length)
        }
      }
      let level = pinned.count + (isUnderLayout ? 1 : 0)
      return OracleElement(
        category: .supplementary, kind: element.kind, section: index, sectionKey: section.key,
        frame: projection.frame(
          main: main + element.inset.mainLeading,
          mainLength: element.length - element.inset.mainLeading - element.inset.mainTrailing,
          cross: element.cross + element.inset.crossLeading,
          crossLength: element.crossLength - element.inset.crossLeading
            - element.inset.crossTrailing),
        zIndex: element.pins ? OracleLimits.pinnedZIndex - level : element.zIndex)
    }
  }

  private func backgroundElement(
    _ background: OracleBackground, _ projection: OracleProjection
  ) -> OracleElement {
    let inset = background.inset
    return OracleElement(
      category: .decoration, kind: background.kind, section: index, sectionKey: section.key,
      frame: projection.frame(
        main: start + settings.top.length + inset.mainLeading,
        mainLength: max(0, bodyLength - inset.mainLeading - inset.mainTrailing),
        cross: inset.crossLeading,
        crossLength: max(
          0, projection.crossLength - inset.crossLeading - inset.crossTrailing)),
      zIndex: background.zIndex)
  }
}
