/// One section's settings, overrides applied; all lengths in units.
struct OracleSectionSettings {
  /// The elements before the content and after it: from outside inward, with a length.
  private(set) var top: [OracleBoundary]
  private(set) var bottom: [OracleBoundary]
  let inset: OracleInset
  let background: OracleBackground?
  let decor: OracleDecor
  let content: OracleContent
  /// The section's own effect.
  let effect: OracleEffect?

  private enum Appearance: String { case fade, slide, scale }

  private static let frameMembers: Set<String> = [
    "kind", "inset", "header", "footer", "pinsHeader", "pinsFooter", "supplementary",
    "background", "appearance", "effect", "badges", "decorations",
  ]

  static func refuseUnknownMembers(of section: OracleObject) throws(OracleRefusal) {
    try section.refuseMembers(otherThan: frameMembers.union(OracleContent.members))
  }

  init(_ section: OracleObject, container: OracleContainer) throws(OracleRefusal) {
    inset = try OracleInset(section.object("inset"), in: container)
    if let object = try section.object("background") {
      background = try OracleBackground(object, in: container)
    } else {
      background = nil
    }
    decor = try OracleDecor(section, background: background, in: container)
    let ends = try [("header", "pinsHeader"), ("footer", "pinsFooter")].map {
      name, pins throws(OracleRefusal) in
      try OracleBoundary(
        name, length: section.length(name, in: container, fractionFrom: 1) ?? 0,
        pins: section.flag(pins) ?? false, in: container)
    }
    let all =
      try ends.filter { $0.length > 0 }
      + OracleBoundary.list(section, in: container, background: background?.kind)
    (top, bottom) = (all.filter { !$0.isBottom }, all.filter(\.isBottom))
    _ = try section.choice("appearance", Appearance.self)
    effect = try section.object("effect").map { object throws(OracleRefusal) in
      try OracleEffect(object)
    }
    if effect?.needsPages ?? false { throw OracleRefusal(.outOfRange, section.subject("effect")) }
    content = try OracleContent(section, inset: inset, container: container)
  }

  /// The lengths of the header and the footer; 0 without.
  var header: Int64 { top.filter { $0.kind == "header" }.length }
  var footer: Int64 { bottom.filter { $0.kind == "footer" }.length }

  /// The kinds of the section's elements other than cells.
  var elementKinds: [String] {
    (top + bottom).map(\.kind) + (background.map { [$0.kind] } ?? []) + decor.kinds
  }

  /// The settings with the section's measured lengths.
  func measured(_ section: OracleSection) -> OracleSectionSettings {
    var settings = self
    if header > 0 { settings.top[0].length = section.preferredHeader ?? header }
    if footer > 0 { settings.bottom[0].length = section.preferredFooter ?? footer }
    return settings
  }
}
