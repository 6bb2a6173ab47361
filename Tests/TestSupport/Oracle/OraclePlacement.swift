/// A section's content, laid out; all lengths in units.
struct OraclePlacement {
  struct Cell {
    /// Along the main axis from the content's start.
    var main: Int64
    var mainLength: Int64
    /// Across, from the container's edge.
    var cross: Int64
    var crossLength: Int64
    var column: Int?
    var isHidden = false
    /// About the middle of the cell, with x across and y along the main axis; as
    /// ``OracleElement/transform3D``.
    var transform3D: [Double]?
    /// As ``OracleElement/values``.
    var values: String?
  }

  /// One per item, in order.
  var cells: [Cell] = []
  /// Along the main axis, without insets; 0 with no items.
  var length: Int64 = 0
  /// Across, insets included, of content that scrolls across; nil for other content.
  var scrollLength: Int64?

  /// The cells of all items, if those are of the ones that are not collapsed. The others are where
  /// the next one is, or at the end.
  func withCollapsed(_ items: [OracleItem]) -> OraclePlacement {
    var rest = cells[...]
    var all = self
    all.cells = items.map { item in
      guard item.visibility == .collapsed else {
        var cell = rest.removeFirst()
        cell.isHidden = item.visibility == .hidden
        return cell
      }
      return Cell(
        main: rest.first?.main ?? length, mainLength: 0, cross: rest.first?.cross ?? 0,
        crossLength: 0, isHidden: true)
    }
    return all
  }
}
