package import LayoutGeometry

/// A custom section's rule, made from its options.
package struct CustomPlan: Sendable {
  /// The kind's name.
  package let kind: String
  let layout: any SectionLayout
  private let origin: Origin?

  /// What a rule was made from.
  struct Origin: Hashable {
    var options: [String: ConfigurationValue]
    var space: SectionSpace
  }

  /// - Parameter origin: `nil` where the rule is only tried.
  init(kind: String, layout: any SectionLayout, from origin: Origin? = nil) {
    self.kind = kind
    self.layout = layout
    self.origin = origin
  }

  /// Whether both are the same rule, made from the same options.
  func places(as other: CustomPlan) -> Bool {
    kind == other.kind && origin == other.origin
  }

  /// Places an item and checks what comes of it.
  ///
  /// - Throws: `LimitError` for a rectangle, an advance or a state beyond what the
  ///   store holds: sides within ``Limits/sideMax``, positions and advances within
  ///   ``Limits/customReachMax``.
  package func place(
    _ item: LayoutItem, state: inout [Int64]
  ) throws(LimitError) -> ItemPlacement {
    let placement = layout.place(item, state: &state)
    let frame = placement.frame
    let reach = -Limits.customReachMax...Limits.customReachMax
    let sides = Length.zero...Limits.sideMax
    try Limits.check(placement.advance, in: .zero...Limits.customReachMax, as: subject("advance"))
    try Limits.check(frame.size.width, in: sides, as: subject("width"))
    try Limits.check(frame.size.height, in: sides, as: subject("height"))
    try Limits.check(frame.origin.x, in: reach, as: subject("x"))
    try Limits.check(frame.origin.y, in: reach, as: subject("y"))
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

  private func subject(_ name: String) -> LimitError.Subject {
    LimitError.Subject("\(name) of an item of kind '\(kind)'")
  }
}

/// The kinds that a user of the library has registered.
package struct CustomKinds: Sendable {
  private var types: [String: any SectionLayout.Type] = [:]

  /// No kinds but those built in.
  package static let none = CustomKinds([])

  /// Registers kinds.
  ///
  /// - Precondition: The kinds' names differ, and are none of those built in.
  package init(_ types: [any SectionLayout.Type]) {
    for type in types {
      guard case .custom = SectionKind(name: type.kind) else {
        preconditionFailure("The kind '\(type.kind)' is built in.")
      }
      let earlier = self.types.updateValue(type, forKey: type.kind)
      precondition(earlier == nil, "Two kinds have the name '\(type.kind)'.")
    }
  }

  func plan(
    _ kind: String, _ options: SectionOptions, inset: EdgeInsets, _ checks: OptionChecks
  ) throws(ConfigurationError) -> CustomPlan {
    guard let type = types[kind] else {
      let known = SectionKind.builtIn.map(\.name) + types.keys.sorted()
      throw ConfigurationError(.unknownChoice(kind, known: known), at: checks.path + ["kind"])
    }
    let space = SectionSpace(
      container: checks.space.container, line: try checks.line(inset: inset))
    let own = options.options ?? [:]
    do {
      return CustomPlan(
        kind: kind, layout: try type.init(options: own, in: space),
        from: CustomPlan.Origin(options: own, space: space))
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: checks.path + ["options"])
    }
  }
}
