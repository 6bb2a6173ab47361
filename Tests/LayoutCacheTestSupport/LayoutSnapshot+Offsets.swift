package import LayoutCache
import LayoutGeometry
package import TestSupport

extension LayoutSnapshot {
  /// Returns random scroll positions of the snapshot's carousels, some beyond their ranges.
  package func randomOffsets(using generator: inout SeededGenerator) throws -> CarouselOffsets {
    var offsets = CarouselOffsets()
    var sections: [SectionExtent] = []
    try forEachSection {
      sections.append($0)
      return true
    }
    for section in sections where !generator.oneIn(3) {
      guard let carousel = section.carousel else { continue }
      let last = carousel.maximumOffset.units
      offsets[section.key] = Length(
        units: generator.oneIn(4) ? last + 64 : Int64.random(in: -64...last, using: &generator))
    }
    return offsets
  }
}

extension CarouselOffsets {
  package init(_ offsets: [(key: String, offset: Int64)]) {
    self.init()
    for (key, offset) in offsets { self[key] = Length(units: offset) }
  }
}
