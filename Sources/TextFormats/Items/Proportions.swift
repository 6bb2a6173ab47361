import LayoutGeometry

/// The items whose shapes rounding to units would change, and the scale that keeps them.
package struct Proportions: Sendable {
  /// The change of a quotient of sides that is accepted.
  private static let tolerance = 0.005
  /// A side of at least this many units never changes a quotient by more.
  private static let safeUnits = 202.0
  private static let scaleMax = 4_096
  private static let sizesMax = 4_096

  private struct Sides: Hashable {
    var width: Double
    var height: Double

    func isKept(_ scale: Double) -> Bool {
      let width = (width * scale * 64).rounded(.down)
      let height = (height * scale * 64).rounded(.down)
      guard width > 0, height > 0 else { return false }
      return abs(width / height * (self.height / self.width) - 1) <= Proportions.tolerance
    }
  }

  /// The number of items that are off by more than 0.5 %.
  package private(set) var offCount = 0
  /// Small sizes, without the scale, and the least side of those beyond the number kept.
  private var sizes: Set<Sides> = []
  private var otherSideMin = Double.infinity
  private var sideMax = 0.0

  package init() {}

  /// Adds an item's size in points, which contains the scale.
  mutating func add(width: Double, height: Double, scale: Double) {
    let sides = Sides(width: width / scale, height: height / scale)
    let least = min(sides.width, sides.height)
    guard least > 0 else { return }
    sideMax = max(sideMax, sides.width, sides.height)
    guard least * min(scale, 1) * 64 < Self.safeUnits else { return }
    if !sides.isKept(scale) { offCount += 1 }
    if sizes.count < Self.sizesMax {
      sizes.insert(sides)
    } else if !sizes.contains(sides) {
      otherSideMin = min(otherSideMin, least)
    }
  }

  /// The least whole scale that keeps all shapes; `nil` if the given one does, or none can.
  package var mendingScale: Int? {
    guard offCount > 0 else { return nil }
    return (1...Self.scaleMax).first { scale in
      let scale = Double(scale)
      return sideMax * scale <= Limits.sideMax.points
        && otherSideMin * scale * 64 >= Self.safeUnits && sizes.allSatisfy { $0.isKept(scale) }
    }
  }
}
