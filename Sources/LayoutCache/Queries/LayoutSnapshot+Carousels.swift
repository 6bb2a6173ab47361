import CollectionLayout
import LayoutGeometry

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
