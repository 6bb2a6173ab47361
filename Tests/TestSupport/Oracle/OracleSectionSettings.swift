/// One section's settings, overrides applied; all lengths in units.
struct OracleSectionSettings {
  private(set) var header: Int64
  private(set) var footer: Int64
  let pinsHeader: Bool
  let pinsFooter: Bool
  let inset: OracleInset
  let background: OracleBackground?
  let content: OracleContent
  /// The section's own effect.
  let effect: OracleEffect?

  private enum Appearance: String { case fade, slide, scale }

  private static let frameMembers: Set<String> = [
    "kind", "inset", "header", "footer", "pinsHeader", "pinsFooter", "background",
    "appearance", "effect",
  ]

  static func refuseUnknownMembers(of section: OracleObject) throws(OracleRefusal) {
    try section.refuseMembers(otherThan: frameMembers.union(OracleContent.members))
  }

  init(_ section: OracleObject, container: OracleContainer) throws(OracleRefusal) {
    header = try section.length("header", in: container, fractionFrom: 1) ?? 0
    footer = try section.length("footer", in: container, fractionFrom: 1) ?? 0
    pinsHeader = try section.flag("pinsHeader") ?? false
    pinsFooter = try section.flag("pinsFooter") ?? false
    inset = try OracleInset(section.object("inset"), in: container)
    if let object = try section.object("background") {
      background = try OracleBackground(object, in: container)
    } else {
      background = nil
    }
    _ = try section.choice("appearance", Appearance.self)
    effect = try section.object("effect").map { object throws(OracleRefusal) in
      try OracleEffect(object)
    }
    if effect?.needsPages ?? false {
      throw OracleRefusal(.outOfRange, section.subject("effect"))
    }
    content = try OracleContent(section, inset: inset, container: container)
  }

  /// The kinds of the section's header, footer and background, as far as it has them.
  var elementKinds: [String] {
    (header > 0 ? ["header"] : []) + (footer > 0 ? ["footer"] : [])
      + (background.map { [$0.kind] } ?? [])
  }

  /// The settings with the section's measured lengths.
  func measured(_ section: OracleSection) -> OracleSectionSettings {
    var settings = self
    if header > 0 { settings.header = section.preferredHeader ?? header }
    if footer > 0 { settings.footer = section.preferredFooter ?? footer }
    return settings
  }
}
