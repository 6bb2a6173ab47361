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
    let spacing =
      generator.oneIn(2) ? [member("lineSpacing", Self.length(using: &generator))] : []
    return spacing + frameMembers(using: &generator)
  }
}
