public import LayoutGeometry

/// A custom section's rule, made from its options.
public struct CustomPlan: Sendable {
  public let kind: String
  private let layout: any SectionLayout

  /// The most numbers of a state.
  public static let stateCountMax = 64

  init(kind: String, layout: any SectionLayout) {
    self.kind = kind
    self.layout = layout
  }

  /// Places an item and checks what comes of it.
  ///
  /// - Throws: `LimitError` for a rectangle, an advance or a state beyond what the
  ///   store holds: sides and positions within ``Limits/sideMax``, advances from 0 to it.
  public func place(
    _ item: LayoutItem, state: inout [Int64]
  ) throws(LimitError) -> ItemPlacement {
    let placement = layout.place(item, state: &state)
    let frame = placement.frame
    try check(placement.advance, "advance of kind \(kind)", from: .zero)
    try check(frame.size.width, "width of kind \(kind)", from: .zero)
    try check(frame.size.height, "height of kind \(kind)", from: .zero)
    try check(frame.origin.x, "x of kind \(kind)", from: .zero - Limits.sideMax)
    try check(frame.origin.y, "y of kind \(kind)", from: .zero - Limits.sideMax)
    if state.count > Self.stateCountMax {
      throw LimitError(
        .tooLarge, .init("state of kind \(kind)"), limit: Double(Self.stateCountMax),
        value: Double(state.count))
    }
    return placement
  }

  private func check(_ length: Length, _ name: String, from least: Length) throws(LimitError) {
    if length < least {
      throw LimitError(.tooSmall, .init(name), limit: least.points, value: length.points)
    }
    if length > Limits.sideMax {
      throw LimitError(
        .tooLarge, .init(name), limit: Limits.sideMax.points, value: length.points)
    }
  }
}

/// The kinds that a user of the library has registered.
public struct CustomKinds: Sendable {
  private var types: [String: any SectionLayout.Type] = [:]

  /// No kinds but those built in.
  public static let none = CustomKinds([])

  /// - Precondition: The kinds' names differ, and are none of those built in.
  public init(_ types: [any SectionLayout.Type]) {
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
    do {
      return CustomPlan(
        kind: kind, layout: try type.init(options: options.options ?? [:], in: space))
    } catch {
      throw ConfigurationError(.malformed(detail: "\(error)"), at: checks.path + ["options"])
    }
  }
}
