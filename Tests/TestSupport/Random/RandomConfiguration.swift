import Foundation

/// Builds configuration texts over everything that the oracle supports.
///
/// Members without a default in the specification are always written.
public struct RandomConfiguration {
  public var kinds: Kinds
  /// Whether texts may have an effect. Then some feeds of grids are pages with a page turn.
  public var allowsEffects: Bool
  /// Whether badges may have conditions on the member n of items' data.
  public var readsData = false

  public init(kinds: Kinds = .all, allowsEffects: Bool = false) {
    (self.kinds, self.allowsEffects) = (kinds, allowsEffects)
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
        // More columns than the limit fit into a wide container, the override of a section
        // replaces a member that a breakpoint's kind requires, a carousel's peek is wider than a
        // narrow container, an element around a section has no room, `minus` exceeds the fraction
        // of one, a waterfall inherits the weights of a grid's columns, or both sides of its items
        // are in proportion to the other; try again.
        let isConflict = error.code == .conflictingMembers && error.subject.hasSuffix("itemWidth")
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
      top.append(member("layoutDirection", generator.oneIn(3) ? "leftToRight" : "rightToLeft"))
    }
    if generator.oneIn(2) {
      top.append(.init(key: "sectionSpacing", value: Self.lengthOrFraction(using: &generator)))
    }
    if generator.oneIn(8) {
      let position = JSONValue.number(Self.length(using: &generator))
      top.append(.init(key: "snap", value: .array([position, .number(1.0 / 3)])))
    }
    if generator.oneIn(3) { top += layoutMembers(using: &generator) }
    if allowsEffects, kinds.contains(.grid), generator.oneIn(5) {
      top += pages(length: mainLength ?? crossLength, sectionKeys: sectionKeys, using: &generator)
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
      members.append(.init(key: key, value: Self.lengthOrFraction(using: &generator)))
    }
    if allowsEffects, generator.oneIn(4) {
      let none = JSONValue.object([member("kind", "none")])
      members.append(
        generator.oneIn(3) ? .init(key: "effect", value: none) : effect(using: &generator))
    }
    if generator.oneIn(5) {
      let names = ["fade", "slide", "scale"]
      members.append(member("appearance", names.randomElement(using: &generator)!))
    }
    for key in ["pinsHeader", "pinsFooter"] where generator.oneIn(2) {
      members.append(.init(key: key, value: .bool(!generator.oneIn(4))))
    }
    if generator.oneIn(2) { members.append(background(using: &generator)) }
    if generator.oneIn(5) { members.append(supplementary(using: &generator)) }
    if generator.oneIn(6) {
      members.append(list("badges", ["flag", "pin"], using: &generator, badge))
    }
    if generator.oneIn(6) {
      members.append(list("decorations", ["sheet", "band", "rule"], using: &generator, decoration))
    }
    return members
  }

  /// A list of some kinds of elements.
  private func list(
    _ name: String, _ kinds: [String], using generator: inout SeededGenerator,
    _ entry: (String, inout SeededGenerator) -> [JSONValue.Member]
  ) -> JSONValue.Member {
    let entries = kinds.shuffled(using: &generator).filter { _ in !generator.oneIn(3) }
    return .init(key: name, value: .array(entries.map { .object(entry($0, &generator)) }))
  }

  private func badge(
    _ kind: String, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    let size = ["width", "height"].map {
      member($0, Self.positiveLength(using: &generator))
    }
    var members = [member("kind", kind), .init(key: "size", value: .object(size))]
    let anchors = [
      "top", "bottom", "leading", "trailing", "topLeading", "topTrailing", "bottomLeading",
      "bottomTrailing", "center",
    ]
    if !generator.oneIn(4) {
      members.append(member("anchor", anchors.randomElement(using: &generator)!))
    }
    if generator.oneIn(2) {
      let offset = ["x", "y"].filter { _ in !generator.oneIn(3) }.map {
        member($0, Self.length(using: &generator) * (generator.oneIn(2) ? 1 : -1))
      }
      members.append(.init(key: "offset", value: .object(offset)))
    }
    if !generator.oneIn(3) { members.append(member("when", condition(using: &generator))) }
    return members
  }

  /// One to four terms.
  private func condition(using generator: inout SeededGenerator) -> String {
    let terms = (0..<Int.random(in: 1...4, using: &generator)).map { _ in
      var term = "key STARTS WITH i\(Int.random(in: 1...3, using: &generator))"
      let comparison = ["=", "<", ">="].randomElement(using: &generator)!
      if readsData && generator.oneIn(2) {
        term = "n \(comparison) \(Int.random(in: 0...9, using: &generator))"
      } else if !generator.oneIn(3) {
        let value = [0.5, 4, 3, 100, 700].randomElement(using: &generator)!
        term = "\(generator.oneIn(2) ? "width" : "height") \(comparison) \(value)"
      }
      return (generator.oneIn(3) ? "NOT " : "") + term
    }
    return terms.dropFirst().reduce(terms[0]) {
      $0 + (generator.oneIn(2) ? " AND " : " OR ") + $1
    }
  }

  private func decoration(
    _ kind: String, using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var members = [member("kind", kind)]
    switch kind {
    case "sheet": members.append(member("place", generator.oneIn(2) ? "section" : "content"))
    case "rule":
      members += [
        member("place", "separator"), member("length", Self.positiveLength(using: &generator)),
      ]
    default:
      let count = Int.random(in: 1...(generator.oneIn(4) ? 1000 : 7), using: &generator)
      members += [member("place", "run"), member("count", Double(count))]
    }
    if generator.oneIn(2) {
      members.append(.init(key: "inset", value: Self.inset(using: &generator)))
    }
    if generator.oneIn(2) {
      members.append(member("zIndex", Double(Int.random(in: -2...2, using: &generator))))
    }
    return members
  }

  /// Up to four elements around a section, most of which pin.
  private func supplementary(using generator: inout SeededGenerator) -> JSONValue.Member {
    let elements = (0..<Int.random(in: 0...4, using: &generator)).map { number in
      let isBottom = generator.oneIn(3)
      var element = [
        member("kind", "\(isBottom ? "below" : "above") \(number)"),
        .init(key: "length", value: Self.positiveLengthOrFraction(using: &generator)),
      ]
      if isBottom || generator.oneIn(3) {
        element.append(member("edge", isBottom ? "bottom" : "top"))
      }
      if generator.oneIn(4) {
        element.append(.init(key: "inset", value: Self.inset(using: &generator)))
      }
      if generator.oneIn(3) {
        element.append(
          .init(key: "crossLength", value: Self.positiveLengthOrFraction(using: &generator)))
      }
      if generator.oneIn(2) {
        let names = ["leading", "center", "trailing"]
        element.append(member("alignment", names.randomElement(using: &generator)!))
      }
      if !generator.oneIn(3) { element.append(.init(key: "pins", value: .bool(true))) }
      if generator.oneIn(3) {
        element.append(member("zIndex", Double(Int.random(in: -2...2, using: &generator))))
      }
      return JSONValue.object(element)
    }
    return .init(key: "supplementary", value: .array(elements))
  }

  private func background(using generator: inout SeededGenerator) -> JSONValue.Member {
    let background: [JSONValue.Member] = [
      member("kind", generator.oneIn(2) ? "card" : "plate"),
      .init(key: "inset", value: Self.inset(using: &generator)),
      member("zIndex", Double(Int.random(in: -2...2, using: &generator))),
    ]
    return .init(key: "background", value: .object(background))
  }

  /// The members for elements of the whole layout.
  func layoutMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    var members: [JSONValue.Member] = []
    for key in ["header", "footer"] where generator.oneIn(2) {
      var element = [
        JSONValue.Member(key: "length", value: Self.lengthOrFraction(using: &generator))
      ]
      if !generator.oneIn(3) { element.append(.init(key: "pins", value: .bool(true))) }
      members.append(.init(key: key, value: .object(element)))
    }
    if generator.oneIn(2) { members.append(background(using: &generator)) }
    return members
  }
}

extension RandomConfiguration {
  /// One to three breakpoints, below, at and above a container's cross length.
  func breakpoints(
    around crossLength: Double, of kind: Kind, using generator: inout SeededGenerator
  ) -> JSONValue.Member {
    let places = [
      0, crossLength / 2, crossLength, min(crossLength + 1.0 / 64, 1_000_000),
      min(crossLength * 2, 1_000_000),
    ]
    let units = Set(places.filter { _ in generator.oneIn(2) }.map(Units.floor(points:)))
    let entries = units.sorted().map { from in
      JSONValue.object([member("from", Double(from) / 64)] + override(of: kind, using: &generator))
    }
    return JSONValue.Member(key: "breakpoints", value: .array(entries))
  }

  /// A configuration that differs slightly from another: in the space around sections, in the
  /// options of one, or in when columns are evened out.
  public func variant(
    of text: String, sectionKeys: [String], using generator: inout SeededGenerator
  ) -> String {
    for _ in 0..<4 {
      let other = self.text(sectionKeys: sectionKeys, using: &generator)
      guard case .object(var top)? = Self.sorted(text),
        case .object(let others)? = Self.sorted(other)
      else { break }
      switch Int.random(in: 0..<8, using: &generator) {
      case 7:
        top.removeAll { ["header", "footer", "background"].contains($0.key) }
        top += layoutMembers(using: &generator)
      case 6:
        top.removeAll { $0.key == "breakpoints" }
        if let member = others.first(where: { $0.key == "breakpoints" }) { top.append(member) }
      case 5:
        for name in ["container", "scrollDirection"] {
          top.removeAll { $0.key == name }
          if let member = others.first(where: { $0.key == name }) { top.append(member) }
        }
        top.set(.init(key: "keepsMeasuredLengths", value: .bool(generator.oneIn(2))))
      case 0: top.set(member("sectionSpacing", Self.length(using: &generator)))
      case 1: top.set(member("layoutDirection", generator.oneIn(2) ? "leftToRight" : "rightToLeft"))
      case 2: top.setInner("section", member("maximumSkew", Self.length(using: &generator)))
      case 3:
        for member in frameMembers(using: &generator) { top.setInner("section", member) }
      default:
        let name = generator.oneIn(2) ? "sections" : "styles"
        guard let overrides = others.first(where: { $0.key == name }) else { break }
        if case .object(let sections) = overrides.value,
          let section = sections.randomElement(using: &generator)
        {
          top.setInner(name, section)
        }
      }
      let variant = JSONValue.object(top).text
      if (try? Oracle(configuration: variant, sections: [])) != nil { return variant }
    }
    return self.text(sectionKeys: sectionKeys, using: &generator)
  }

  /// A text's value with the members of its objects in one order.
  private static func sorted(_ text: String) -> JSONValue? {
    // Texts are generated here; one that is not JSON has no variants.
    (try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))).map(\.sorted)
  }
}

extension JSONValue {
  fileprivate var sorted: JSONValue {
    guard case .object(let members) = self else { return self }
    return .object(
      members.map { Member(key: $0.key, value: $0.value.sorted) }.sorted { $0.key < $1.key })
  }
}

extension [JSONValue.Member] {
  fileprivate mutating func set(_ member: JSONValue.Member) {
    removeAll { $0.key == member.key }
    append(member)
  }

  /// Sets a member of an object that is itself a member.
  fileprivate mutating func setInner(_ key: String, _ member: JSONValue.Member) {
    var inner: [JSONValue.Member] = []
    if case .object(let members)? = first(where: { $0.key == key })?.value { inner = members }
    inner.set(member)
    set(JSONValue.Member(key: key, value: .object(inner)))
  }
}

extension RandomConfiguration {
  /// An effect that any feed may have.
  func effect(using generator: inout SeededGenerator) -> JSONValue.Member {
    var members: [JSONValue.Member] = []
    switch Int.random(in: 0..<3, using: &generator) {
    case 0:
      members.append(member("kind", "scale"))
      if !generator.oneIn(3) {
        let scale = generator.oneIn(4) ? 1 : Double.random(in: 0.01...4, using: &generator)
        members.append(member("maximumScale", scale))
      }
    case 1: members.append(member("kind", "coverStack"))
    default:
      members.append(member("kind", "rotary"))
      if !generator.oneIn(3) {
        let degrees = [0, 89, Double.random(in: 0...89, using: &generator)]
        members.append(member("maximumAngle", degrees.randomElement(using: &generator)!))
      }
    }
    return JSONValue.Member(key: "effect", value: .object(members))
  }

  /// The sections and the effect of a feed with a page turn: one grid of one column, its rows
  /// as long as the container.
  ///
  /// - Parameter length: Points of the container along the main axis.
  func pages(
    length: Double, sectionKeys: [String], using generator: inout SeededGenerator
  ) -> [JSONValue.Member] {
    var section = [member("kind", "grid"), member("rowLength", length)]
    section.append(
      generator.oneIn(4) ? member("minimumColumnWidth", 600_000) : member("columns", 1))
    section += pageMembers(using: &generator)
    // As in all overrides, of keys that differ in normalisation only, one.
    var overridden: Set<String> = []
    var overrides: [JSONValue.Member] = []
    for key in sectionKeys where generator.oneIn(3) && overridden.insert(key).inserted {
      overrides.append(.init(key: key, value: .object(pageMembers(using: &generator))))
    }
    let style = pageMembers(using: &generator)
    return [
      .init(key: "section", value: .object(section)),
      .init(
        key: "styles", value: .object([.init(key: RandomStyle.names[0], value: .object(style))])),
      .init(key: "sections", value: .object(overrides)),
      .init(key: "effect", value: .object([member("kind", "pageTurn")])),
    ]
  }

  private func pageMembers(using generator: inout SeededGenerator) -> [JSONValue.Member] {
    let spacing = generator.oneIn(2) ? [member("lineSpacing", Self.length(using: &generator))] : []
    return spacing + frameMembers(using: &generator)
  }
}
