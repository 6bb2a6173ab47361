/// Four edge distances in units, named by axis.
///
/// A configuration names physical edges. Before mirroring, vertical content runs from top to bottom
/// across left to right, horizontal content from left to right across top to bottom; rightToLeft
/// then mirrors the edges with everything else.
struct OracleInset {
  var mainLeading: Int64 = 0
  var mainTrailing: Int64 = 0
  var crossLeading: Int64 = 0
  var crossTrailing: Int64 = 0

  init(_ object: OracleObject?, in container: OracleContainer) throws(OracleRefusal) {
    guard let object else { return }
    try object.refuseMembers(otherThan: ["top", "left", "bottom", "right"])
    let top = try object.length("top", in: container) ?? 0
    let left = try object.length("left", in: container) ?? 0
    let bottom = try object.length("bottom", in: container) ?? 0
    let right = try object.length("right", in: container) ?? 0
    let isVertical = container.isVertical
    mainLeading = isVertical ? top : left
    mainTrailing = isVertical ? bottom : right
    crossLeading = isVertical ? left : top
    crossTrailing = isVertical ? right : bottom
  }

  /// Units across that lines may fill.
  ///
  /// - Parameter path: The path of the section's settings, for the error.
  /// - Throws: `OracleRefusal` if less than a point is left.
  func lineLength(in container: OracleContainer, path: String) throws(OracleRefusal) -> Int64 {
    let insets = crossLeading + crossTrailing
    guard container.crossLength - insets >= Units.perPoint else {
      throw OracleRefusal(.containerTooNarrow, path, needed: insets + Units.perPoint)
    }
    return container.crossLength - insets
  }
}
