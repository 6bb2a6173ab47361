import CollectionLayout
import LayoutGeometry
import TestSupport

extension FlowCase {
  /// How much further along their lines the engine's items are than the browser's.
  ///
  /// Both share a justified line's left-over among its gaps. The engine gives each gap the
  /// same whole number of units and one more to the first gaps; a browser rounds, for each
  /// item, the sum of the gaps before it, so that the remainder is spread over the line.
  ///
  /// - Parameter frames: The engine's.
  func shifts(of frames: [UnitRect]) -> [UnitPoint] {
    guard options.lineAlignment == .justified else { return [] }
    var shifts: [UnitPoint] = []
    let isVertical = axes.scrollDirection == .vertical
    let starts = frames.map { isVertical ? $0.x : $0.y }
    let lengths = frames.map { isVertical ? $0.width : $0.height }
    var first = 0
    while first < frames.count {
      // A line goes on for as long as its items stand one behind the other.
      var end = first + 1
      while end < frames.count, starts[end] >= starts[end - 1] + lengths[end - 1] { end += 1 }
      let gaps = gapCount(itemCount: end - first, isLast: end == frames.count)
      let spacing = (options.minimumInteritemSpacing ?? .zero).units
      var leftover = available.units - Int64(gaps) * spacing
      leftover -= lengths[first..<end].reduce(0, +)
      if gaps >= end - first { leftover -= Int64(gaps + 1 - (end - first)) * lengths[first] }
      let remainder = gaps == 0 ? 0 : leftover % Int64(gaps)
      for index in 0..<Int64(end - first) {
        let ours = min(index, remainder)
        let theirs =
          gaps == 0 ? 0 : (2 * index * remainder + Int64(gaps)) / (2 * Int64(gaps))
        let shift = ours - theirs
        shifts.append(UnitPoint(x: isVertical ? shift : 0, y: isVertical ? 0 : shift))
      }
      first = end
    }
    return shifts
  }

  /// The gaps among which a line's left-over is shared.
  private func gapCount(itemCount: Int, isLast: Bool) -> Int {
    guard isLast else { return itemCount - 1 }
    // The last line has the gaps of a full one, or none but the minimum.
    return fullLineCount.map { $0 - 1 } ?? 0
  }
}
