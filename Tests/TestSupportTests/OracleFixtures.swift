import TestSupport

/// Items "i0", "i1", … 100 points wide with these heights and spans.
func items(heights: [Double], spans: [Int] = []) -> [OracleItem] {
  heights.indices.map {
    OracleItem(
      key: "i\($0)", width: 100, height: heights[$0],
      span: $0 < spans.count ? spans[$0] : 1)
  }
}

func section(_ key: String, _ items: [OracleItem]) -> OracleSection {
  OracleSection(key: key, items: items)
}

func section(_ items: [OracleItem]) -> OracleSection { section("s", items) }

/// An item 100 points wide.
func item(_ key: String, _ height: Double, span: Int = 1) -> OracleItem {
  OracleItem(key: key, width: 100, height: height, span: span)
}

extension Oracle {
  var cells: [OracleElement] { allElements().filter { $0.category == .cell } }
}

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
  var columns: [Int?] { oracle.cells.map(\.column) }
  /// Tops in points.
  var tops: [Double] { oracle.cells.map { Units.points($0.y) } }
  /// Heights in points.
  var heights: [Double] { oracle.cells.map { Units.points($0.height) } }
}
