/// Builds configuration texts over everything that the oracle supports.
///
/// Members without a default in the specification are always written.
public struct RandomConfiguration {
  public var kinds: Kinds
  /// Whether texts may be rejected for a container that is too narrow.
  public var allowsRefusals: Bool
  /// Whether texts may have an effect. Then some feeds of grids are pages with a page turn.
  public var allowsEffects: Bool

  public init(kinds: Kinds = .all, allowsRefusals: Bool = false, allowsEffects: Bool = false) {
    self.kinds = kinds
    self.allowsRefusals = allowsRefusals
    self.allowsEffects = allowsEffects
  }

  /// JSON text on one line.
  ///
  /// - Parameter sectionKeys: Sections that may get overrides.
  public func text(
    sectionKeys: [String] = [], using generator: inout SeededGenerator
  ) -> String {
    while true {
      let text = candidate(sectionKeys: sectionKeys, using: &generator).text
      do {
        _ = try Oracle(configuration: text, sections: [])
        return text
      } catch {
        if allowsRefusals, error.code == .containerTooNarrow { return text }
        // More columns than the limit fit into a wide container, the override of a section
        // replaces a member that a breakpoint's kind requires, a carousel's peek is wider than a
        // narrow container, or both sides of its items are in proportion to the other; try again.
        let isConflict =
          error.code == .conflictingMembers && error.subject.hasSuffix("itemWidth")
        precondition(
          [.containerTooNarrow, .outOfRange, .missingMember].contains(error.code) || isConflict,
          "\(error) in \(text)")
      }
    }
  }

  private func candidate(
    sectionKeys: [String], using generator: inout SeededGenerator
  ) -> JSONValue {
    let isVertical = !generator.oneIn(3)
    let crossLength = Self.crossLength(using: &generator)
    let mainLength = generator.oneIn(2) ? Self.crossLength(using: &generator) : nil
    var container = [member(isVertical ? "width" : "height", crossLength)]
    if let mainLength { container.append(member(isVertical ? "height" : "width", mainLength)) }
    var top = [JSONValue.Member(key: "container", value: .object(container))]
    if !isVertical || generator.oneIn(2) {
      top.append(member("scrollDirection", isVertical ? "vertical" : "horizontal"))
    }
    if generator.oneIn(2) {
      top.append(
        member("layoutDirection", generator.oneIn(3) ? "leftToRight" : "rightToLeft"))
    }
    if generator.oneIn(2) {
      top.append(member("sectionSpacing", Self.length(using: &generator)))
    }
    if allowsEffects, kinds.contains(.grid), generator.oneIn(5) {
      top += pages(
        length: mainLength ?? crossLength, sectionKeys: sectionKeys, using: &generator)
      return .object(top)
    }
    if allowsEffects, !generator.oneIn(4) { top.append(effect(using: &generator)) }
    let kind = randomKind(using: &generator)
    top.append(.init(key: "section", value: .object(defaults(kind, using: &generator))))
    if generator.oneIn(3) {
      top.append(breakpoints(around: crossLength, of: kind, using: &generator))
    }
    if generator.oneIn(2) {
      let styles = self.overrides(of: kind, sectionKeys: RandomStyle.names, using: &generator)
      if !styles.isEmpty { top.append(.init(key: "styles", value: .object(styles))) }
    }
    let overrides = overrides(of: kind, sectionKeys: sectionKeys, using: &generator)
    if !overrides.isEmpty { top.append(.init(key: "sections", value: .object(overrides))) }
    return .object(top)
  }

  private func defaults(
    _ kind: Kind, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var members = [member("kind", kind.rawValue)]
    members += self.members(of: kind, isOverride: false, using: &generator)
    members += frameMembers(using: &generator)
    guard generator.oneIn(4) else { return members }
    // Includes members of another kind, for overrides of only the kind.
    let others = self.members(
      of: randomKind(using: &generator), isOverride: false, using: &generator)
    for other in others {
      let rivals = OracleContent.conflicts.filter { [$0, $1].contains(other.key) }
        .flatMap { [$0, $1] }
      if !members.contains(where: { $0.key == other.key || rivals.contains($0.key) }) {
        members.append(other)
      }
    }
    return members
  }

  private func overrides(
    of kind: Kind, sectionKeys: [String], using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    // A set of strings considers keys that differ only in normalisation equal: JSON parsers may
    // do the same, so at most one of them is overridden.
    var overridden: Set<String> = []
    var overrides: [JSONValue.Member] = []
    for key in sectionKeys where generator.oneIn(3) && overridden.insert(key).inserted {
      let members = override(of: kind, using: &generator)
      overrides.append(JSONValue.Member(key: key, value: .object(members)))
    }
    return overrides
  }

  /// The members of an override of options of a kind.
  func override(of kind: Kind, using generator: inout SeededGenerator) -> [JSONValue.Member] {
    let overrideKind = generator.oneIn(2) ? randomKind(using: &generator) : kind
    var members = self.members(of: overrideKind, isOverride: true, using: &generator)
    members += frameMembers(using: &generator)
    if overrideKind != kind || generator.oneIn(4) {
      members.append(member("kind", overrideKind.rawValue))
    } else if generator.oneIn(2) {
      members.removeAll { ["itemSize", "targetRowLength"].contains($0.key) }
    }
    return members
  }

  func frameMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if generator.oneIn(2) {
      members.append(.init(key: "inset", value: Self.inset(using: &generator)))
    }
    for key in ["header", "footer"] where generator.oneIn(2) {
      members.append(member(key, Self.length(using: &generator)))
    }
    for key in ["pinsHeader", "pinsFooter"] where generator.oneIn(2) {
      members.append(.init(key: key, value: .bool(!generator.oneIn(4))))
    }
    if generator.oneIn(2) {
      let background: [JSONValue.Member] = [
        member("kind", generator.oneIn(2) ? "card" : "plate"),
        .init(key: "inset", value: Self.inset(using: &generator)),
        member("zIndex", Double(Int.random(in: -2...2, using: &generator))),
      ]
      members.append(.init(key: "background", value: .object(background)))
    }
    return members
  }
}
