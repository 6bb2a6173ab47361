/// Converts positions along and across the main axis into frames, and visible rectangles into
/// intervals of the main axis; all lengths in units.
struct OracleProjection {
  let isVertical: Bool
  var isMirrored: Bool
  let contentSize: UnitSize

  init(container: OracleContainer, isMirrored: Bool, mainLength: Int64) {
    isVertical = container.isVertical
    self.isMirrored = isMirrored
    contentSize =
      container.isVertical
      ? UnitSize(width: container.crossLength, height: mainLength)
      : UnitSize(width: mainLength, height: container.crossLength)
  }

  var mainLength: Int64 { isVertical ? contentSize.height : contentSize.width }
  var crossLength: Int64 { isVertical ? contentSize.width : contentSize.height }

  func frame(main: Int64, mainLength: Int64, cross: Int64, crossLength: Int64) -> UnitRect {
    var frame =
      isVertical
      ? UnitRect(x: cross, y: main, width: crossLength, height: mainLength)
      : UnitRect(x: main, y: cross, width: mainLength, height: crossLength)
    if isMirrored { frame.x = contentSize.width - frame.x - frame.width }
    return frame
  }

  /// A transform with x across and y along the main axis, in the content's axes. Row 0 and column 0
  /// belong to x, row 1 and column 1 to y.
  func transform(_ numbers: [Double]) -> [Double] {
    (0..<16).map { index in
      let (row, column) = (index / 4, index % 4)
      func source(_ axis: Int) -> Int { isVertical || axis > 1 ? axis : 1 - axis }
      let number = numbers[4 * source(row) + source(column)]
      return isMirrored && (row == 0) != (column == 0) ? -number : number
    }
  }

  /// A frame of this size that starts elsewhere along the main axis.
  func moved(_ frame: UnitRect, toMain main: Int64) -> UnitRect {
    var frame = frame
    if isVertical {
      frame.y = main
    } else {
      frame.x = isMirrored ? contentSize.width - main - frame.width : main
    }
    return frame
  }

  /// Counted from the content's leading edge, so a mirrored horizontal
  /// rectangle starts at its right edge.
  func mainInterval(of visible: UnitRect) -> (start: Int64, end: Int64) {
    if isVertical { return (visible.y, visible.maxY) }
    if isMirrored { return (contentSize.width - visible.maxX, contentSize.width - visible.x) }
    return (visible.x, visible.maxX)
  }
}
