/// The inputs of an effect for a query, and its application to the cells.
struct OracleStage {
  /// The effect on each section's cells.
  let effects: [OracleEffect]
  let projection: OracleProjection
  /// The requested rectangle.
  let rect: UnitRect
  let visible: UnitRect

  /// All elements except the cells that the effect leaves out, in order. If nothing is visible
  /// along the main axis, there is no effect.
  func applied(to elements: [OracleElement]) -> [OracleElement] {
    let interval = projection.mainInterval(of: visible)
    guard interval.end > interval.start else { return elements }
    let current = currentPage(of: elements, visibleStart: interval.start)
    let cellCount = elements.filter { $0.category == .cell }.count
    var number = -1
    func changed(_ index: Int, _ element: OracleElement) -> OracleElement? {
      guard element.category == .cell else { return element }
      number += 1
      switch effects[element.section] {
      case .off: return element
      case .scale(let maximum): return scaled(element, maximum: maximum)
      case .coverStack: return covered(element, interval)
      case .rotary(let angle): return rotated(element, maximumAngle: angle)
      case .pageTurn:
        return turned(
          element, cellsFromHere: cellCount - number, isLater: index > current,
          visibleStart: interval.start)
      }
    }
    return elements.enumerated().compactMap { changed($0, $1) }
  }

  private func scaled(_ cell: OracleElement, maximum: Double) -> OracleElement {
    guard cell.laidOut.intersects(visible) else { return cell }
    return transformed(cell, scale: max(0, 1 + (maximum - 1) * (1 - abs(distance(of: cell)))))
  }

  /// - Returns: Nil for a cell that ends a visible length or more before the visible start.
  private func covered(
    _ cell: OracleElement, _ shown: (start: Int64, end: Int64)
  ) -> OracleElement? {
    var cell = cell
    cell.zIndex = min(cell.item!, OracleLimits.pinnedZIndex - 2)
    let (start, end) = projection.mainInterval(of: cell.laidOut)
    guard shown.start - end < shown.end - shown.start else { return nil }
    guard start < shown.start else { return cell }
    let hidden = Double(shown.start - start) / Double(end - start)
    cell.move(to: projection.moved(cell.laidOut, toMain: shown.start))
    return transformed(cell, scale: 1 - 0.05 * min(1, hidden))
  }

  /// - Returns: Nil for a cell too far away to be considered.
  private func rotated(_ cell: OracleElement, maximumAngle: Double) -> OracleElement? {
    let (start, end) = projection.mainInterval(of: cell.laidOut)
    let near = projection.mainInterval(of: rect)
    let shown = projection.mainInterval(of: visible)
    let length = shown.end - shown.start
    guard start < near.end + length, near.start - length < end else { return nil }
    var cell = cell
    let distance = distance(of: cell)
    let steps = Units.rounding(units: min(abs(distance), 1e12) * 1000)
    cell.zIndex = max(0, 1000 - Int(steps))
    return transformed(
      cell,
      by: .rotation(
        -min(max(distance, -1), 1) * maximumAngle, aboutX: projection.isVertical))
  }

  private func turned(
    _ cell: OracleElement, cellsFromHere: Int, isLater: Bool, visibleStart: Int64
  ) -> OracleElement {
    var cell = cell
    cell.zIndex = min(cellsFromHere, OracleLimits.pinnedZIndex - 2)
    if isLater { cell.move(to: projection.moved(cell.laidOut, toMain: visibleStart)) }
    return cell
  }

  /// The index of the last cell that starts by the visible start, else of the first.
  private func currentPage(of elements: [OracleElement], visibleStart: Int64) -> Int {
    let cells = elements.indices.filter { elements[$0].category == .cell }
    let started = cells.last {
      projection.mainInterval(of: elements[$0].laidOut).start <= visibleStart
    }
    return started ?? cells.first ?? 0
  }

  /// d: the distance of the cell's middle from that of the visible rectangle, in halves of its
  /// length; positive to the right and down, mirrored or not.
  private func distance(of cell: OracleElement) -> Double {
    func middle(_ rect: UnitRect) -> Double {
      projection.isVertical
        ? Double(rect.y) + Double(rect.height) / 2 : Double(rect.x) + Double(rect.width) / 2
    }
    let length = projection.isVertical ? visible.height : visible.width
    return (middle(cell.laidOut) - middle(visible)) / (Double(length) / 2)
  }

  private func transformed(_ cell: OracleElement, scale: Double) -> OracleElement {
    scale == 1 ? cell : transformed(cell, by: .scale(scale))
  }

  private func transformed(
    _ cell: OracleElement, by transform: OracleTransform
  ) -> OracleElement {
    var cell = cell
    let own = cell.transform3D.map(OracleTransform.init(numbers:))
    cell.show(cell.laidOut, by: own?.followed(by: transform) ?? transform)
    return cell
  }
}
