public import LayoutGeometry

/// A section that was laid out without a database.
public struct TriedSection: Hashable, Sendable {
  /// The placed items, in order.
  public var items: [PlacedItem]
  /// The content's length along the main axis.
  public var contentLength: Length
  /// The elements of the section that its kind has of its own, in order.
  public var elements: [OwnElement]
  /// The elements of each item's cell, as many as there are items.
  public var cellElements: [[OwnElement]]
}

extension SectionLayout {
  /// Places a section's items as the engine does, without a database: for tests of a
  /// rule, and to see what it makes of some items.
  ///
  ///     let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
  ///     let items = [LayoutItem(size: Size(width: 100, height: 40))]
  ///     let section = try Stack(options: [:], in: space).layOut(items)
  ///     // section.items[0].frame: (x 0, y 0, 300 x 40); section.contentLength: 40
  ///
  /// - Parameter items: The section's items, in order. Data count for a rule that reads
  ///   them.
  /// - Throws: ``ItemRefusal`` naming the item where the engine refuses what
  ///   ``place(_:in:state:)`` returns, a rectangle, an advance, a look or a state beyond its
  ///   limit or an item that starts before the content, and where that throws; `LimitError`
  ///   for content that is too long, or a rule that looks too far ahead.
  /// - Complexity: O(items).
  public func layOut(_ items: [LayoutItem]) throws -> TriedSection {
    let plan = try CustomPlan(kind: Self.kind, layout: self)
    var items = items
    if !plan.reads.contains(.data) { for index in items.indices { items[index].data = nil } }
    var state: [Int64] = []
    var (anchor, end) = (Length.zero, Length.zero)
    var placed: [PlacedItem] = []
    placed.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      do {
        let placement = try plan.place(
          item, index: index, of: items.count,
          before: items[(index + 1)...].prefix(plan.lookahead), state: &state)
        var frame = placement.frame
        frame.origin.y += anchor
        try plan.check(start: frame.minY)
        anchor += placement.advance
        end = max(end, frame.maxY)
        placed.append(
          PlacedItem(
            index: index, item: item, frame: frame, zIndex: placement.zIndex,
            alpha: placement.alpha, isHidden: placement.isHidden))
      } catch {
        throw ItemRefusal(index: index, reason: error)
      }
      try Limits.checkContent(max(anchor, end))
    }
    let length = try plan.contentLength(itemsEnd: end, anchor: anchor)
    return TriedSection(
      items: placed, contentLength: length,
      elements: try plan.own?.allElements(contentLength: length) ?? [],
      cellElements: try placed.map { try plan.own?.elements(of: $0) ?? [] })
  }

  /// The rectangles of ``layOut(_:)``, as many and in the order of the items.
  ///
  /// - Throws: As ``layOut(_:)``.
  public func frames(of items: [LayoutItem]) throws -> [Rect] {
    try layOut(items).items.map(\.frame)
  }
}
