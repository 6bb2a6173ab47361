package import LayoutGeometry

/// A custom section's rule, created from its options.
package struct CustomPlan: Sendable {
  /// The kind's name.
  package let kind: String
  /// The parts of items that the rule reads.
  package let reads: ItemDependencies
  /// The number of following items that the rule reads.
  package let lookahead: Int
  let layout: any SectionLayout
  private let origin: Origin?

  /// The inputs that a rule was created from.
  struct Origin: Hashable {
    var options: [String: ConfigurationValue]
    var space: SectionSpace
  }

  /// - Parameter origin: The inputs of the rule; `nil` for a preview.
  /// - Throws: An error for an invalid rule: its lookahead is too long.
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
  /// - Throws: `LimitError` for a rectangle, an advance, an appearance, a transform, values or a
  ///   state beyond what the store can represent: sides within ``Limits/sideMax``, positions,
  ///   advances and transformed rectangles within ``Limits/customReachMax``; the errors of the
  ///   rule.
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
    if !placement.transform.isIdentity { try check(placement.transform, of: frame) }
    if !placement.values.isEmpty { try check(placement.values) }
    return placement
  }

  private func check(_ transform: Transform3D, of frame: Rect) throws(LimitError) {
    let members = -Limits.customTransformMax...Limits.customTransformMax
    for member in transform.members {
      try Limits.check(member, in: members, as: subject("transform"))
    }
    try Limits.check(
      transform.reach(beyond: frame), in: .zero...Limits.customReachMax,
      as: subject("extent of the transform"))
  }

  private func check(_ values: [String: ConfigurationValue]) throws(LimitError) {
    try Limits.check(values.count, in: 0...Limits.customValuesMax, as: subject("number of values"))
    let object = ConfigurationValue.object(values)
    if let number = object.infinite {
      throw LimitError(.notFinite, subject("value"), limit: .greatestFiniteMagnitude, value: number)
    }
    try Limits.check(
      object.json.utf8.count, in: 0...Limits.customValuesBytesMax,
      as: subject("number of bytes of values"))
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
