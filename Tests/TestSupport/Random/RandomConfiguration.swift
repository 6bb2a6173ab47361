/// Builds configuration texts over all that the oracle supports.
///
/// What the specification leaves without a default is always written out.
public struct RandomConfiguration {
  public enum Kinds: Sendable {
    case waterfall, all
  }

  public var kinds: Kinds
  /// Whether texts may be refused for a container that is too narrow.
  public var allowsRefusals: Bool

  public init(kinds: Kinds = .all, allowsRefusals: Bool = false) {
    self.kinds = kinds
    self.allowsRefusals = allowsRefusals
  }

  /// JSON text on one line.
  ///
  /// - Parameter sectionKeys: Sections that may get overrides of their own.
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
        // More columns than the limit fit into a wide container; try again.
        precondition(
          error.code == .containerTooNarrow || error.code == .outOfRange, "\(error) in \(text)")
      }
    }
  }

  private func candidate(
    sectionKeys: [String], using generator: inout SeededGenerator
  ) -> JSONValue {
    let isVertical = !generator.oneIn(3)
    var container = [member(isVertical ? "width" : "height", Self.crossLength(using: &generator))]
    if generator.oneIn(2) {
      container.append(
        member(isVertical ? "height" : "width", Self.crossLength(using: &generator)))
    }
    var top = [JSONValue.Member(key: "container", value: .object(container))]
    if !isVertical || generator.oneIn(2) {
      top.append(member("scrollDirection", isVertical ? "vertical" : "horizontal"))
    }
    if generator.oneIn(2) {
      top.append(
        member("layoutDirection", generator.oneIn(3) ? "leftToRight" : "rightToLeft"))
    }
    let kind = randomKind(using: &generator)
    top.append(
      JSONValue.Member(
        key: "section",
        value: .object(
          [member("kind", kind.rawValue)]
            + members(of: kind, isOverride: false, using: &generator))))

    // A set of strings takes keys that differ in normalisation only for one:
    // JSON parsers may do the same, so at most one of them is overridden.
    var overridden: Set<String> = []
    var overrides: [JSONValue.Member] = []
    for key in sectionKeys where generator.oneIn(3) && overridden.insert(key).inserted {
      let overrideKind = generator.oneIn(2) ? randomKind(using: &generator) : kind
      var members = self.members(of: overrideKind, isOverride: true, using: &generator)
      if overrideKind != kind || generator.oneIn(4) {
        members.append(member("kind", overrideKind.rawValue))
      }
      overrides.append(JSONValue.Member(key: key, value: .object(members)))
    }
    if !overrides.isEmpty { top.append(.init(key: "sections", value: .object(overrides))) }
    if generator.oneIn(2) {
      top.append(member("sectionSpacing", Self.length(using: &generator)))
    }
    return .object(top)
  }

  private enum Kind: String { case waterfall, grid }

  private func randomKind(using generator: inout SeededGenerator) -> Kind {
    switch kinds {
    case .waterfall: .waterfall
    case .all: generator.oneIn(3) ? .grid : .waterfall
    }
  }

  /// Overrides leave out most members; the defaults name what has none.
  private func members(
    of kind: Kind, isOverride: Bool, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if !isOverride || generator.oneIn(2) {
      members.append(
        generator.oneIn(4)
          ? member("minimumColumnWidth", Double(Int.random(in: 30...400, using: &generator)))
          : member("columns", Double(Self.columnCount(using: &generator))))
    }
    for key in ["columnSpacing", "lineSpacing"] where !generator.oneIn(isOverride ? 2 : 3) {
      members.append(member(key, Self.length(using: &generator)))
    }
    members += frameMembers(using: &generator)
    switch kind {
    case .waterfall: members += waterfallMembers(using: &generator)
    case .grid:
      let square = JSONValue.string("square")
      members.append(
        .init(
          key: "rowLength",
          value: generator.oneIn(2)
            ? square : .number(Self.positiveLength(using: &generator))))
    }
    return members
  }

  private func frameMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
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

  private func waterfallMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: members.append(member("itemLength", "aspect"))
    case 1, 2: members.append(member("itemLength", "natural"))
    case 3: members.append(member("itemLength", Self.positiveLength(using: &generator)))
    default: break
    }
    // The ranges do not overlap, so an override cannot turn them round.
    if generator.oneIn(4) {
      members.append(member("minimumLength", Double.random(in: 0...100, using: &generator)))
    }
    if generator.oneIn(4) {
      members.append(member("maximumLength", Double.random(in: 101...900, using: &generator)))
    }
    if generator.oneIn(3) {
      members.append(member("tolerance", Self.length(using: &generator)))
    }
    if generator.oneIn(2) {
      members.append(member("ties", generator.oneIn(3) ? "leading" : "cursor"))
    }
    if generator.oneIn(2) {
      members.append(member("maximumSkew", Self.length(using: &generator)))
    }
    if generator.oneIn(2) {
      members.append(member("assignment", generator.oneIn(2) ? "stable" : "exact"))
    }
    return members
  }
}
