/// Builds scroll positions of a laid out feed's carousels, in units.
public enum RandomOffsets {
  /// Positions within, at and beyond the range of some carousels, and positions of sections that
  /// do not scroll or do not exist.
  public static func next(
    for oracle: Oracle, using generator: inout SeededGenerator
  ) -> [(key: String, offset: Int64)] {
    var offsets: [(key: String, offset: Int64)] = []
    if generator.oneIn(4) { offsets.append((key: "no such section", offset: 64)) }
    for section in oracle.sectionsSummary {
      guard !generator.oneIn(4) else { continue }
      guard let carousel = section.carousel else {
        if generator.oneIn(4) { offsets.append((key: section.key, offset: 6400)) }
        continue
      }
      let last = carousel.maximumOffset
      let offset =
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: Int64.random(in: -9999...0, using: &generator)
        case 1: last
        case 2: last + Int64.random(in: -1...1, using: &generator)
        case 3: last + Int64.random(in: 0...(1 << 52), using: &generator)
        default: Int64.random(in: 0...last, using: &generator)
        }
      offsets.append((key: section.key, offset: offset))
    }
    return offsets
  }
}
