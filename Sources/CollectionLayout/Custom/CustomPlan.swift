package import LayoutGeometry

/// A custom section's rule, created from its options.
package struct CustomPlan: Sendable {
  /// The kind's name.
  package let kind: String
  /// The parts of items that the rule reads.
  package let reads: ItemDependencies
  /// The number of following items that the rule reads.
  package let lookahead: Int
  /// The additional elements of the kind; `nil` for none.
  package let own: OwnElements?
  let layout: any SectionLayout
  private let origin: Origin?

  /// The inputs that a rule was created from.
  struct Origin: Hashable {
    var options: [String: ConfigurationValue]
    var space: SectionSpace
  }

  /// - Parameter origin: The inputs of the rule; `nil` for a preview.
  /// - Throws: An error for an invalid rule: its lookahead is too long, or its elements are
  ///   invalid.
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

  /// Returns whether both are the same rule, created from the same options.
  func places(as other: CustomPlan) -> Bool {
    kind == other.kind && origin == other.origin
  }

  /// Places an item and validates the result.
  ///
  /// - Parameters:
  ///   - index: The item's index in its section.
  ///   - count: The number of items in the section.
  ///   - following: The next items: ``lookahead`` of them, or all that exist.
  /// - Throws: `LimitError` for a rectangle, an advance, an appearance or a state beyond what
  ///   the store can represent: sides within ``Limits/sideMax``, positions and advances within
  ///   ``Limits/customReachMax``; the errors of the rule.
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

  /// Checks the extent of a section's items, by the start of the first of them.
  ///
  /// - Parameter start: The start, from the content's start.
  /// - Throws: `LimitError` if it is before the content, where queries would not find it.
  package func check(start: Length) throws(LimitError) {
    if start >= .zero { return }
    throw LimitError(.tooSmall, subject("start in the content"), limit: 0, value: start.points)
  }

  /// Returns the content's length, derived from the extent of its items.
  ///
  /// - Throws: `LimitError` if it is too long.
  package func contentLength(itemsEnd: Length, anchor: Length) throws(LimitError) -> Length {
    let length = max(itemsEnd, layout.contentLength(itemsEnd: itemsEnd, anchor: anchor))
    try Limits.checkContent(max(length, anchor))
    return length
  }

  private func subject(_ name: String) -> LimitError.Subject {
    LimitError.Subject("\(name) of an item of kind '\(kind)'")
  }
}
