/// One section's settings, overrides applied; all lengths in units.
struct OracleSectionSettings {
  private(set) var header: Int64
  private(set) var footer: Int64
  let pinsHeader: Bool
  let pinsFooter: Bool
  let inset: OracleInset
  let background: OracleBackground?
  let content: OracleContent

  private static let frameMembers: Set<String> = [
    "kind", "inset", "header", "footer", "pinsHeader", "pinsFooter", "background",
  ]

  static func refuseUnknownMembers(of section: OracleObject) throws(OracleRefusal) {
    try section.refuseMembers(otherThan: frameMembers.union(OracleContent.members))
  }

  init(_ section: OracleObject, container: OracleContainer) throws(OracleRefusal) {
    header = try section.length("header") ?? 0
    footer = try section.length("footer") ?? 0
    pinsHeader = try section.flag("pinsHeader") ?? false
    pinsFooter = try section.flag("pinsFooter") ?? false
    inset = try OracleInset(section.object("inset"), isVertical: container.isVertical)
    if let object = try section.object("background") {
      background = try OracleBackground(object, isVertical: container.isVertical)
    } else {
      background = nil
    }
    content = try OracleContent(section, inset: inset, container: container)
  }

  /// The settings with the section's measured lengths.
  func measured(_ section: OracleSection) -> OracleSectionSettings {
    var settings = self
    if header > 0 { settings.header = section.preferredHeader ?? header }
    if footer > 0 { settings.footer = section.preferredFooter ?? footer }
    return settings
  }
}
