public import LayoutGeometry

extension SectionLayout {
  /// Places a section's items as the engine does, without a database: for tests of a
  /// rule, and to see what it makes of some items.
  ///
  ///     let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
  ///     let items = [LayoutItem(size: Size(width: 100, height: 40))]
  ///     let frames = try Stack(options: [:], in: space).frames(of: items)
  ///     // [(x 0, y 0, 300 x 40)]
  ///
  /// - Parameter items: The section's items, in order.
  /// - Returns: The items' rectangles in canonical axes, as many and in the order of the
  ///   items: x from the container's leading edge, y from the start of the section's
  ///   content.
  /// - Throws: `LimitError` where the engine refuses what ``place(_:state:)`` returns: a
  ///   rectangle, an advance or a state beyond its limit, an item that starts before the
  ///   content, or content that is too long.
  /// - Complexity: O(items).
  public func frames(of items: [LayoutItem]) throws(LimitError) -> [Rect] {
    let plan = CustomPlan(kind: Self.kind, layout: self)
    var state: [Int64] = []
    var anchor = Length.zero
    var frames: [Rect] = []
    frames.reserveCapacity(items.count)
    for item in items {
      let placement = try plan.place(item, state: &state)
      var frame = placement.frame
      frame.origin.y += anchor
      anchor += placement.advance
      try plan.check(start: frame.minY)
      try Limits.checkContent(max(anchor, frame.maxY))
      frames.append(frame)
    }
    return frames
  }
}
