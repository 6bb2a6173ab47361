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

extension Oracle {
  /// A container of these points with one configuration for all sections;
  /// `top` and `section` are members of JSON objects.
  init(
    width: Double? = nil, height: Double? = nil, top: String = "", section: String,
    _ sections: [OracleSection]
  ) throws {
    let sides = [width.map { #""width":\#($0)"# }, height.map { #""height":\#($0)"# }]
    let container = sides.compactMap { $0 }.joined(separator: ",")
    let more = top.isEmpty ? "" : ",\(top)"
    try self.init(
      configuration: #"{"container":{\#(container)},"section":{\#(section)}\#(more)}"#,
      sections: sections)
  }

  var cells: [OracleElement] { allElements().filter { $0.category == .cell } }
  var cellColumns: [Int?] { cells.map(\.column) }
}
