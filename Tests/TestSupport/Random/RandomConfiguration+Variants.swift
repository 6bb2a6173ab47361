import Foundation

extension RandomConfiguration {
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
      switch Int.random(in: 0..<7, using: &generator) {
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
