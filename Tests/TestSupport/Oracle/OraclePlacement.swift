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
  }

  /// One per item, in order.
  var cells: [Cell] = []
  /// Along the main axis, without insets; 0 with no items.
  var length: Int64 = 0
  /// Across, insets included, of content that scrolls across; nil for other content.
  var scrollLength: Int64?
}
