import Foundation

/// Equal cells on a circle in one container-sized page.
///
/// Natural sizes, spans and preferred lengths have no effect, nor do the insets across: the
/// page is the whole container.
struct OracleCircle {
  private let container: OracleContainer
  private let size: OracleItemSize

  init(_ section: OracleObject, container: OracleContainer) throws(OracleRefusal) {
    guard let size = try OracleItemSize.read(section, in: container) else {
      throw OracleRefusal(.missingMember, section.subject("itemSize"))
    }
    // Cells must stay within their page, since queries search for them there.
    guard
      size.crossLength <= container.crossLength, size.mainLength <= container.mainLength
    else { throw OracleRefusal(.outOfRange, section.subject("itemSize")) }
    (self.container, self.size) = (container, size)
  }

  func place(_ items: [OracleNaturalItem]) -> OraclePlacement {
    var placement = OraclePlacement()
    guard !items.isEmpty else { return placement }
    for index in items.indices {
      // From the positive x axis to the positive y axis, which points down.
      let angle = 2 * Double.pi * Double(index) / Double(items.count)
      let (alongX, alongY) = (cos(angle), sin(angle))
      placement.cells.append(
        OraclePlacement.Cell(
          main: start(
            in: container.mainLength, length: size.mainLength,
            direction: container.isVertical ? alongY : alongX),
          mainLength: size.mainLength,
          cross: start(
            in: container.crossLength, length: size.crossLength,
            direction: container.isVertical ? alongX : alongY),
          crossLength: size.crossLength))
    }
    placement.length = container.mainLength
    return placement
  }

  private var radius: Double {
    let room = min(container.mainLength, container.crossLength)
    return max(0, Double(room - max(size.mainLength, size.crossLength)) / 2)
  }

  /// The start along one axis. The terms are in the specification's order, as
  /// their sum may be on either side of a half.
  private func start(in page: Int64, length: Int64, direction: Double) -> Int64 {
    Units.rounding(units: Double(page) / 2 + radius * direction - Double(length) / 2)
  }
}
