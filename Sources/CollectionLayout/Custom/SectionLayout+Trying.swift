public import LayoutGeometry

/// A section laid out without a database.
public struct SectionPreview: Hashable, Sendable {
  /// The placed items, in order.
  public var items: [PlacedItem]
  /// The content's length along the main axis.
  public var contentLength: Length
  /// The section's additional elements, in order.
  public var elements: [CustomElement]
  /// The elements of each item's cell, with one entry per item.
  public var cellElements: [[CustomElement]]
}

extension SectionLayout {
  /// Places a section's items like the engine, but without a database: for tests and previews
  /// of a rule.
  ///
  ///     let space = SectionSpace(container: Size(width: 300, height: 600), line: 0..<300)
  ///     let items = [LayoutItem(size: Size(width: 100, height: 40))]
  ///     let section = try Stack(options: [:], in: space).layOut(items)
  ///     // section.items[0].frame: (x 0, y 0, 300 x 40); section.contentLength: 40
  ///
  /// - Parameter items: The section's items, in order. Their data is passed to a rule that
  ///   reads it.
  /// - Throws: ``LayoutRefusal`` naming the item if the engine rejects the result of
  ///   ``place(_:in:state:)`` (a rectangle, an advance, an appearance, a transform, values or a
  ///   state beyond its limit, or an item that starts before the content), or if that method throws;
  ///   `LimitError` for content that is too long, or too long a lookahead.
  /// - Complexity: O(items).
  public func layOut(_ items: [LayoutItem]) throws -> SectionPreview {
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
            alpha: placement.alpha, isHidden: placement.isHidden,
            transform: placement.transform, values: placement.values))
      } catch {
        throw LayoutRefusal(index: index, reason: error)
      }
      try Limits.checkContent(max(anchor, end))
    }
    let length = try plan.contentLength(itemsEnd: end, anchor: anchor)
    var preview = SectionPreview(
      items: placed, contentLength: length, elements: [], cellElements: placed.map { _ in [] })
    guard let decorator = self as? any SectionDecorator else { return preview }
    var names = KindNames()
    let rule = try ElementRule(decorator, &names, at: [])
    let section = DecoratedSection(
      contentLength: length, itemCount: placed.count,
      found: { rect in placed.filter { $0.frame.intersects(rect) } },
      placed: { placed.indices.contains($0) ? placed[$0] : nil })
    try rule.forEachElement(of: section) {
      preview.elements.append($0)
      return true
    }
    preview.cellElements = try placed.map { try rule.elements(of: $0) }
    return preview
  }

  /// Returns the rectangles of ``layOut(_:)``, one per item, in order.
  ///
  /// - Throws: As ``layOut(_:)``.
  public func frames(of items: [LayoutItem]) throws -> [Rect] {
    try layOut(items).items.map(\.frame)
  }
}
