package import LayoutGeometry

/// A custom section's rule, made from its options.
package struct CustomPlan: Sendable {
  /// The kind's name.
  package let kind: String
  /// The parts of items that the rule reads.
  package let reads: ItemReads
  /// How many items ahead the rule sees.
  package let lookahead: Int
  /// The elements of its own that the rule has; `nil` for none.
  package let own: OwnElements?
  let layout: any SectionLayout
  private let origin: Origin?

  /// The inputs that a rule was created from.
  struct Origin: Hashable {
    var options: [String: ConfigurationValue]
    var space: SectionSpace
  }

  /// - Parameter origin: `nil` where the rule is only tried.
  /// - Throws: What says why the rule can't be: it looks too far ahead, or has elements that
  ///   can't be.
  init(
    kind: String, layout: any SectionLayout, from origin: Origin? = nil
  ) throws {
    self.kind = kind
    self.layout = layout
    self.origin = origin
    reads = layout.reads
    lookahead = layout.lookahead
    try Limits.check(
      lookahead, in: 0...Limits.customLookaheadMax,
      as: LimitError.Subject("lookahead of kind '\(kind)'"))
    own = try (layout as? any DecoratedSectionLayout).map { try OwnElements($0, kind: kind) }
  }

  /// Whether both are the same rule, made from the same options.
  func places(as other: CustomPlan) -> Bool {
    kind == other.kind && origin == other.origin
  }

  /// Places an item and checks what comes of it.
  ///
  /// - Parameters:
  ///   - index: The item's number in its section.
  ///   - count: The section's items.
  ///   - following: The next items: ``lookahead`` of them, or all that there are.
  /// - Throws: `LimitError` for a rectangle, an advance, a look or a state beyond what the
  ///   store holds: sides within ``Limits/sideMax``, positions and advances within
  ///   ``Limits/customReachMax``; what the rule throws.
  package func place(
    _ item: LayoutItem, index: Int, of count: Int, before following: ArraySlice<LayoutItem>,
    state: inout [Int64]
  ) throws -> ItemPlacement {
    let context = ItemContext(
      reads: reads, lookahead: lookahead, index: index, count: count, following: following)
    let placement = try layout.place(item, in: context, state: &state)
    let frame = placement.frame
    let reach = -Limits.customReachMax...Limits.customReachMax
    let sides = Length.zero...Limits.sideMax
    try Limits.check(placement.advance, in: .zero...Limits.customReachMax, as: subject("advance"))
    try Limits.check(frame.size.width, in: sides, as: subject("width"))
    try Limits.check(frame.size.height, in: sides, as: subject("height"))
    try Limits.check(frame.origin.x, in: reach, as: subject("x"))
    try Limits.check(frame.origin.y, in: reach, as: subject("y"))
    try Limits.check(
      placement.zIndex, in: -Limits.customZIndexMax...Limits.customZIndexMax,
      as: subject("z-index"))
    try Limits.check(placement.alpha, in: 0...1, as: subject("alpha"))
    try Limits.check(state.count, in: 0...Limits.customStateCountMax, as: subject("state count"))
    return placement
  }

  /// Checks what the items of a section cover, by where the first of them starts.
  ///
  /// - Parameter start: From the content's start.
  /// - Throws: `LimitError` where it is before the content, in which nobody would look
  ///   for it.
  package func check(start: Length) throws(LimitError) {
    if start >= .zero { return }
    throw LimitError(.tooSmall, subject("start in the content"), limit: 0, value: start.points)
  }

  /// The content's length, by what its items come to.
  ///
  /// - Throws: `LimitError` where it is too long.
  package func contentLength(itemsEnd: Length, anchor: Length) throws(LimitError) -> Length {
    let length = max(itemsEnd, layout.contentLength(itemsEnd: itemsEnd, anchor: anchor))
    try Limits.checkContent(max(length, anchor))
    return length
  }

  private func subject(_ name: String) -> LimitError.Subject {
    LimitError.Subject("\(name) of an item of kind '\(kind)'")
  }
}
