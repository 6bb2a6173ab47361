import CollectionLayout
import LayoutGeometry
import TestSupport

extension FlowCase {
  /// The browser's frames for the engine's lines.
  ///
  /// Both share a justified line's left-over among its gaps. The engine gives each gap the same
  /// whole number of units and one more to the first gaps; a browser rounds, for each item, the
  /// sum of the gaps before it to the nearest unit, halves up, so that the remainder is spread
  /// over the line. Both ends agree. The `margin: auto` that centres a lone item on the page
  /// rounds half of its left-over up.
  func browserFrames(of frames: [UnitRect]) -> [UnitRect] {
    guard options.lineAlignment == .justified else { return frames }
    var moved = frames
    let isVertical = axes.scrollDirection == .vertical
    let starts = frames.map { isVertical ? $0.x : $0.y }
    let lengths = frames.map { isVertical ? $0.width : $0.height }
    var first = 0
    while first < frames.count {
      // A line continues for as long as its items follow one another.
      var end = first + 1
      while end < frames.count, starts[end] >= starts[end - 1] + lengths[end - 1] { end += 1 }
      let gaps = gapCount(itemCount: end - first, isLast: end == frames.count)
      let spacing = (options.minimumInteritemSpacing ?? 0).fixed.units
      var leftover = available.units - Int64(gaps) * spacing
      leftover -= lengths[first..<end].reduce(0, +)
      if gaps >= end - first { leftover -= Int64(gaps + 1 - (end - first)) * lengths[first] }
      let remainder = gaps == 0 ? 0 : leftover % Int64(gaps)
      let isLone = gaps == 0 && end < frames.count && fullLineCount == nil
      let loneShift = isLone ? leftover % 2 : 0
      for index in 0..<Int64(end - first) {
        let ours = min(index, remainder)
        let theirs =
          gaps == 0 ? loneShift : (2 * index * remainder + Int64(gaps)) / (2 * Int64(gaps))
        let item = first + Int(index)
        if isVertical { moved[item].x += theirs - ours } else { moved[item].y += theirs - ours }
      }
      first = end
    }
    return moved
  }

  /// The gaps among which a line's left-over is shared.
  private func gapCount(itemCount: Int, isLast: Bool) -> Int {
    guard isLast else { return itemCount - 1 }
    // The last line has the gaps of a full one, or none but the minimum.
    return fullLineCount.map { $0 - 1 } ?? 0
  }
}
