import LayoutGeometry

/// A container and its items in CSS, as `lay_out.py` reads them.
struct BrowserPage: Encodable {
  /// The style, in a second layout, of items that are alone in their line.
  struct Alone: Encodable {
    /// The edge at which lines begin, by its name in a browser's rectangles.
    var edge: String
    var style: String
  }

  var container = ""
  /// The declarations of every item.
  var item = ""
  /// The further declarations of each item.
  var items: [String] = []
  /// Invisible children after the items.
  var fillers: [String] = []
  var alone: Alone?
}

/// The translation of a layout's axes into CSS.
struct PageAxes {
  var scrollDirection: Axis
  var isRightToLeft: Bool
  /// Whether a vertical writing mode expresses horizontal scrolling: rows become columns.
  /// Otherwise columns do, in a page written horizontally.
  var turnsWriting: Bool

  /// Whether the container lays out columns in place of rows.
  var hasColumns: Bool { scrollDirection == .horizontal && !turnsWriting }

  /// The gap between neighbours across the scroll direction, and that along it.
  var gapNames: (across: String, along: String) {
    hasColumns ? ("row-gap", "column-gap") : ("column-gap", "row-gap")
  }

  /// Declarations of the container: its axes, its size across, and its insets as padding.
  func declarations(across: Length, inset: EdgeInsets) -> String {
    // A layout's insets are mirrored with its content, a page's padding is not.
    let (left, right) = isRightToLeft ? (inset.right, inset.left) : (inset.left, inset.right)
    let padding = "padding:\(inset.top.css) \(right.css) \(inset.bottom.css) \(left.css);"
    switch (scrollDirection, turnsWriting) {
    case (.vertical, _):
      return padding + "width:\(across.css);direction:\(isRightToLeft ? "rtl" : "ltr");"
    case (.horizontal, true):
      return padding + "height:\(across.css);writing-mode:vertical-\(isRightToLeft ? "rl" : "lr");"
    case (.horizontal, false):
      return padding + "height:\(across.css);width:max-content;"
        + "direction:\(isRightToLeft ? "rtl" : "ltr");"
    }
  }
}

extension Length {
  /// The length in CSS, to the unit.
  var css: String { "\(points)px" }
}

extension Size {
  /// Declarations of a box of this size.
  var css: String { "width:\(width.css);height:\(height.css);" }
}
