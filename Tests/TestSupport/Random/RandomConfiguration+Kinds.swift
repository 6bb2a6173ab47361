extension RandomConfiguration {
  /// The kinds that sections may have.
  public struct Kinds: OptionSet, Sendable {
    public static let waterfall = Kinds(rawValue: 1 << 0)
    public static let flow = Kinds(rawValue: 1 << 1)
    public static let grid = Kinds(rawValue: 1 << 2)
    public static let justified = Kinds(rawValue: 1 << 3)
    public static let circle = Kinds(rawValue: 1 << 4)
    public static let carousel = Kinds(rawValue: 1 << 6)
    /// Custom kinds, which tests register as a library's user would.
    public static let custom = Kinds(rawValue: 1 << 5)
    /// Built-in kinds.
    public static let all: Kinds = [.waterfall, .flow, .grid, .justified, .carousel, .circle]

    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }
  }

  enum Kind: String, CaseIterable {
    case waterfall, flow, grid, justified, carousel, circle
    case stack, timeline, counter, overlap, pile

    var option: Kinds {
      switch self {
      case .waterfall: .waterfall
      case .flow: .flow
      case .grid: .grid
      case .justified: .justified
      case .carousel: .carousel
      case .circle: .circle
      case .stack, .timeline, .counter, .overlap, .pile: .custom
      }
    }
  }

  /// - Precondition: There are kinds to choose from.
  func randomKind(using generator: inout SeededGenerator) -> Kind {
    Kind.allCases.filter { kinds.contains($0.option) }.randomElement(using: &generator)!
  }

  /// The members that a kind reads. Overrides leave out most; a member without a default is
  /// always written, as the defaults may be of another kind.
  func members(
    of kind: Kind, isOverride: Bool, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    switch kind {
    case .waterfall:
      trackMembers(isOverride: isOverride, using: &generator)
        + waterfallMembers(using: &generator)
    case .grid:
      gridColumns(isOverride: isOverride, using: &generator) + gridMembers(using: &generator)
    case .flow: flowMembers(using: &generator)
    case .justified: justifiedMembers(using: &generator)
    case .carousel: carouselMembers(using: &generator)
    case .circle: [itemSize(using: &generator)]
    case .stack, .timeline: options(using: &generator)
    case .counter, .overlap, .pile: []
    }
  }

  private func trackMembers(
    isOverride: Bool, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    if !isOverride || generator.oneIn(2) {
      members.append(
        generator.oneIn(4)
          ? member("minimumColumnWidth", Double(Int.random(in: 30...400, using: &generator)))
          : member("columns", Double(Self.columnCount(using: &generator))))
    }
    for key in ["columnSpacing", "lineSpacing"] where !generator.oneIn(isOverride ? 2 : 3) {
      members.append(.init(key: key, value: Self.lengthOrFraction(using: &generator)))
    }
    return members
  }

  /// As the members of a waterfall's columns, or columns of unequal weight.
  private func gridColumns(
    isOverride: Bool, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var members = trackMembers(isOverride: isOverride, using: &generator)
    guard generator.oneIn(4) else { return members }
    members.removeAll { ["columns", "minimumColumnWidth"].contains($0.key) }
    let weights = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      JSONValue.number([1, 1, 2, 3, 10, 1000].randomElement(using: &generator)!)
    }
    return members + [JSONValue.Member(key: "columns", value: .array(weights))]
  }

  private func gridMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: []
    case 1, 2: [member("rowLength", "square")]
    default: [member("rowLength", Self.positiveLength(using: &generator))]
    }
  }

  private func waterfallMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: members.append(member("itemLength", "aspect"))
    case 1, 2: members.append(member("itemLength", "natural"))
    case 3: members.append(member("itemLength", Self.positiveLength(using: &generator)))
    default: break
    }
    // The ranges do not overlap, so an override cannot reverse them.
    if generator.oneIn(4) {
      members.append(member("minimumLength", Double.random(in: 1.0 / 64...100, using: &generator)))
    }
    if generator.oneIn(4) {
      members.append(member("maximumLength", Double.random(in: 101...900, using: &generator)))
    }
    if generator.oneIn(3) { members.append(member("tolerance", Self.length(using: &generator))) }
    if generator.oneIn(2) {
      let ties = ["leading", "trailing", "cursor"].randomElement(using: &generator)!
      members.append(member("ties", ties))
    }
    if generator.oneIn(2) { members.append(member("maximumSkew", Self.length(using: &generator))) }
    if generator.oneIn(2) {
      members.append(member("assignment", generator.oneIn(2) ? "stable" : "exact"))
    }
    return members
  }

  private func flowMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: members.append(member("itemSize", "natural"))
    case 1, 2: members.append(itemSize(using: &generator))
    case 3, 4: members.append(member("lineLength", Self.positiveLength(using: &generator)))
    default: break
    }
    for key in ["minimumInteritemSpacing", "minimumLineSpacing"] where !generator.oneIn(3) {
      members.append(.init(key: key, value: Self.lengthOrFraction(using: &generator)))
    }
    if generator.oneIn(2) {
      let alignments = ["justified", "leading", "center", "trailing"]
      members.append(member("lineAlignment", alignments.randomElement(using: &generator)!))
    }
    if generator.oneIn(2) {
      let alignments = ["center", "top", "bottom"]
      members.append(member("crossAlignment", alignments.randomElement(using: &generator)!))
    }
    return members
  }

  private func justifiedMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members = [
      JSONValue.Member(
        key: "targetRowLength", value: Self.positiveLengthOrFraction(using: &generator))
    ]
    if !generator.oneIn(3) {
      members.append(.init(key: "spacing", value: Self.lengthOrFraction(using: &generator)))
    }
    if generator.oneIn(2) {
      let lastRows = ["natural", "fill", "match"]
      members.append(member("lastRow", lastRows.randomElement(using: &generator)!))
    }
    if generator.oneIn(3) {
      members.append(member("maximumRowLength", 3 * Self.positiveLength(using: &generator)))
    }
    return members
  }

  private func carouselMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: members.append(member("itemWidth", "natural"))
    case 1: members.append(member("itemWidth", "aspect"))
    case 2, 3: members.append(member("itemWidth", Self.positiveLength(using: &generator)))
    case 4, 5:
      let fraction = [1, 0.9, 1.0 / 3, 1.5, .random(in: 0.01...1, using: &generator)]
      var parts = [member("fraction", fraction.randomElement(using: &generator)!)]
      if generator.oneIn(2) {
        parts.append(member(generator.oneIn(2) ? "peek" : "minus", Self.length(using: &generator)))
      }
      members.append(JSONValue.Member(key: "itemWidth", value: .object(parts)))
    default: break
    }
    let isAspect = members.contains { if case .string("aspect") = $0.value { true } else { false } }
    switch Int.random(in: 0..<6, using: &generator) {
    case 0: members.append(member("itemLength", "natural"))
    case 1 where !isAspect, 2 where !isAspect:
      members.append(member("itemLength", "aspect"))
    case 3: members.append(member("itemLength", Self.positiveLength(using: &generator)))
    default: break
    }
    if !generator.oneIn(3) {
      members.append(.init(key: "spacing", value: Self.lengthOrFraction(using: &generator)))
    }
    if generator.oneIn(2) {
      let alignments = ["center", "top", "bottom"]
      members.append(member("crossAlignment", alignments.randomElement(using: &generator)!))
    }
    if generator.oneIn(2) {
      let names = [
        "continuous", "continuousGroupLeadingBoundary", "paging", "groupPaging",
        "groupPagingCentered",
      ]
      members.append(member("scrolling", names.randomElement(using: &generator)!))
    }
    return members
  }

  private func options(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    if generator.oneIn(3) { return [] }
    let gap = member("gap", Self.length(using: &generator))
    return [JSONValue.Member(key: "options", value: .object([gap]))]
  }

  private func itemSize(using generator: inout SeededGenerator) -> JSONValue.Member {
    let sides = ["width", "height"].map {
      JSONValue.Member(key: $0, value: Self.positiveLengthOrFraction(using: &generator))
    }
    return JSONValue.Member(key: "itemSize", value: .object(sides))
  }
}
