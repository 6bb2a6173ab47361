import LayoutGeometry
import TestSupport

extension SeededGenerator {
  /// A length in the range of points, whole or to the unit.
  mutating func length(_ points: ClosedRange<Int64>) -> Length {
    let whole = Int64.random(in: points, using: &self) * 64
    guard whole < points.upperBound * 64, oneIn(2) else { return Length(units: whole) }
    return Length(units: whole + Int64.random(in: 0..<64, using: &self))
  }

  /// Insets, none half of the time.
  mutating func insets() -> EdgeInsets {
    if oneIn(2) { return .zero }
    return EdgeInsets(
      top: length(0...40), left: length(0...20), bottom: length(0...40), right: length(0...20))
  }

  /// The number of items of a case: a screenful, or some hundreds.
  mutating func itemCount() -> Int {
    oneIn(5) ? Int.random(in: 200...500, using: &self) : Int.random(in: 1...60, using: &self)
  }

  mutating func axes() -> PageAxes {
    PageAxes(
      scrollDirection: oneIn(2) ? .vertical : .horizontal, isRightToLeft: oneIn(3),
      turnsWriting: oneIn(2))
  }
}
