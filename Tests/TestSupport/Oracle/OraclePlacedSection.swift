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
  var length: Int64 { settings.header + bodyLength + settings.footer }
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
  ///   - visible: The rectangle that pinned headers and footers stay within; nil leaves them
  ///     unpinned.
  func elements(
    _ projection: OracleProjection, _ frame: OracleFrame, visible: UnitRect?
  ) -> [OracleElement] {
    let interval = visible.map(projection.mainInterval).map { whole in
      (start: whole.start + frame.header.pinnedLength, end: whole.end - frame.footer.pinnedLength)
    }
    var elements: [OracleElement] = []
    if let background = settings.background {
      elements.append(backgroundElement(background, projection))
    }
    if settings.header > 0 {
      elements.append(
        supplementary(
          "header", at: headerStart(interval), settings.header, pins: settings.pinsHeader,
          level: frame.header.pinnedLength > 0 ? 1 : 0, projection))
    }
    let contentStart = start + settings.header + settings.inset.mainLeading
    let scrolled = carousel(in: projection.crossLength)?.offset ?? 0
    for (item, cell) in placement.cells.enumerated() {
      elements.append(
        OracleElement(
          category: .cell, key: section.items[item].key, section: index,
          sectionKey: section.key, item: item,
          frame: projection.frame(
            main: contentStart + cell.main, mainLength: cell.mainLength,
            cross: cell.cross - scrolled,
            crossLength: cell.crossLength),
          column: cell.column, isHidden: cell.isHidden))
    }
    if settings.footer > 0 {
      elements.append(
        supplementary(
          "footer", at: footerStart(interval), settings.footer, pins: settings.pinsFooter,
          level: frame.footer.pinnedLength > 0 ? 1 : 0, projection))
    }
    return elements
  }

  private func headerStart(_ visible: (start: Int64, end: Int64)?) -> Int64 {
    guard let visible, settings.pinsHeader else { return start }
    return min(max(start, visible.start), end - settings.footer - settings.header)
  }

  private func footerStart(_ visible: (start: Int64, end: Int64)?) -> Int64 {
    let own = end - settings.footer
    guard let visible, settings.pinsFooter else { return own }
    return max(min(own, visible.end - settings.footer), start + settings.header)
  }

  private func supplementary(
    _ kind: String, at main: Int64, _ length: Int64, pins: Bool, level: Int,
    _ projection: OracleProjection
  ) -> OracleElement {
    OracleElement(
      category: .supplementary, kind: kind, section: index, sectionKey: section.key,
      frame: projection.frame(
        main: main, mainLength: length, cross: 0, crossLength: projection.crossLength),
      zIndex: pins ? OracleLimits.pinnedZIndex - level : 0)
  }

  private func backgroundElement(
    _ background: OracleBackground, _ projection: OracleProjection
  ) -> OracleElement {
    let inset = background.inset
    return OracleElement(
      category: .decoration, kind: background.kind, section: index, sectionKey: section.key,
      frame: projection.frame(
        main: start + settings.header + inset.mainLeading,
        mainLength: max(0, bodyLength - inset.mainLeading - inset.mainTrailing),
        cross: inset.crossLeading,
        crossLength: max(
          0, projection.crossLength - inset.crossLeading - inset.crossTrailing)),
      zIndex: background.zIndex)
  }
}
