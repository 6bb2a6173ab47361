import LayoutCache

/// A custom kind: items one below the other.
struct Column: SectionLayout {
  static let kind = "column"
  private let line: Range<Length>
  private let gap: Length

  init(options: [String: ConfigurationValue], in space: SectionSpace) throws(LimitError) {
    line = space.line
    gap = try Limits.length(points: options["gap"]?.number ?? 0, in: 0...100, as: "gap")
  }

  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) -> ItemPlacement {
    ItemPlacement(
      frame: Rect(
        x: line.lowerBound, y: 0, width: line.upperBound - line.lowerBound,
        height: item.size.height),
      advance: item.size.height + gap)
  }
}
