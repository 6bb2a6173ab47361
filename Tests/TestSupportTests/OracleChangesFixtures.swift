import TestSupport

extension OracleFeed {
  /// Columns of 100 points, items in their natural heights, and further members
  /// of the section's JSON object.
  init(
    columns: Int = 2, height: Double = 10_000, members: String = "",
    top: String = "", _ sections: [OracleSection]
  ) throws {
    let section =
      #""kind":"waterfall","columns":\#(columns),"itemLength":"natural""#
      + (members.isEmpty ? "" : ",\(members)")
    let container = #"{"width":\#(columns * 100),"height":\#(height)}"#
    let more = top.isEmpty ? "" : ",\(top)"
    try self.init(
      configuration: #"{"container":\#(container),"section":{\#(section)}\#(more)}"#,
      sections: sections)
  }

  var keys: [String] { oracle.cells.map { $0.key! } }
  var columns: [Int?] { oracle.cellColumns }
  /// Tops in points.
  var tops: [Double] { oracle.cells.map { Units.points($0.y) } }
  /// Heights in points.
  var heights: [Double] { oracle.cells.map { Units.points($0.height) } }
}

/// An item 100 points wide.
func item(_ key: String, _ height: Double, span: Int = 1) -> OracleItem {
  OracleItem(key: key, width: 100, height: height, span: span)
}
