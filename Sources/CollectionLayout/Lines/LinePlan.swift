package import LayoutGeometry

/// The metrics of a kind that places items in lines, in canonical axes.
///
/// A line depends only on the items from its first on. So after an edit, lines are broken again
/// until one starts with the same item as before. A last row that matches the length of the row
/// before it depends on that, too.
package enum LinePlan: Hashable, Sendable {
  /// Lines filled with the items that fit.
  case flow(FlowPlan)
  /// Rows whose length makes their items fill the line.
  case justified(JustifiedPlan)

  /// The gap between two lines.
  package var lineSpacing: Length {
    switch self {
    case .flow(let plan): plan.lineSpacing
    case .justified(let plan): plan.spacing
    }
  }

  /// Whether the last line's length depends on that of the line before it.
  package var matchesLastRow: Bool {
    if case .justified(let plan) = self { plan.lastRow == .match } else { false }
  }

  /// Returns the item's size for line breaking.
  package func size(of item: LayoutItem) -> Size {
    switch self {
    case .flow(let plan): plan.size(of: item)
    case .justified: item.size
    }
  }

  /// Returns the rectangles of a line's items, from the line's start along the main axis and
  /// the container's leading edge across.
  ///
  /// - Parameters:
  ///   - items: The sizes of the line's items, from ``size(of:)``.
  ///   - length: The line's length.
  ///   - isLast: Whether the line is the section's last.
  package func frames(of items: [Size], length: Length, isLast: Bool) -> [Rect] {
    switch self {
    case .flow(let plan): plan.frames(of: items, length: length, isLast: isLast)
    case .justified(let plan): plan.frames(of: items, length: length, isLast: isLast)
    }
  }
}

/// A line of items.
package struct Line: Hashable, Sendable {
  /// The number of items, at least 1.
  package var count: Int
  /// The length along the main axis.
  package var length: Length

  package init(count: Int, length: Length) {
    self.count = count
    self.length = length
  }
}
