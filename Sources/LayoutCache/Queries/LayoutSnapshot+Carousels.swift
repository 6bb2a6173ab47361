import CollectionLayout
public import LayoutGeometry
import SumTree

extension LayoutSnapshot {
  /// Returns the range and the position of a section that scrolls independently.
  ///
  /// - Returns: `nil` if there is no such section, or it is not a carousel.
  /// - Complexity: O(log sections) nodes.
  public func carousel(inSection section: Int) throws -> CarouselExtent? {
    try query { try searchedSection(section, in: $0)?.carousel }.result
  }

  /// Returns the range and the position of a section that scrolls independently; `nil` for
  /// other sections.
  func carousel(of section: PlacedSection) throws -> CarouselExtent? {
    guard
      let length = try section.plan.kind.placing.scrollLength(of: section.result.content)
    else { return nil }
    return CarouselExtent(
      contentLength: length, in: plan.space.crossLength, at: carouselOffsets[section.key])
  }
}

extension LayoutSnapshot {
  /// Returns the cells of a carousel before or after those within the container: the next ones
  /// when it scrolls.
  ///
  /// - Parameters:
  ///   - side: The side on which to prefetch: `after` toward greater offsets.
  ///   - section: The section's index.
  ///   - length: The distance across the main axis; negative values count as 0.
  /// - Returns: The cells as laid out, without effects, and the rectangle next to the container
  ///   that they intersect. `nil` if there is no such section, or it is not a carousel.
  /// - Complexity: O(log items) nodes, and O(1) for each cell.
  public func prefetch(
    _ side: PrefetchDirection, inCarousel section: Int, length: Length
  ) throws -> Prefetch? {
    let (found, work) = try query { state -> (Rect, [LayoutAttributes])? in
      guard let searched = try searchedSection(section, in: state),
        let extent = searched.carousel
      else { return nil }
      let length = max(.zero, min(length.bounded, extent.contentLength))
      let width = plan.space.crossLength
      var rect = Rect(
        x: side == .before ? .zero - length : width, y: .zero, width: length,
        height: searched.section.frame.contentLength)
      var stored = rect
      stored.origin.x += extent.offset
      var cells: [PlacedCell] = []
      try searched.storedByIndex.findItems(
        in: stored, from: 0, items(of: searched.section, state.session), into: &cells
      ) { _ in true }
      for index in cells.indices { cells[index].frame.origin.x -= extent.offset }
      cells.removeAll { $0.look.isHidden || $0.frame.maxX > .zero && $0.frame.minX < width }
      var elements: [LayoutAttributes] = []
      try append(cells, of: searched, to: &elements, state.session)
      rect.origin.y += searched.contentStart
      return (plan.space.content(rect, mainLength: mainLength), elements)
    }
    return found.map { Prefetch(rect: $0.0, elements: $0.1, work: work) }
  }
}
