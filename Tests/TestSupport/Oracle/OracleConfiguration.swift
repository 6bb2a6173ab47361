import Foundation

/// A layout's configuration, read from the JSON text that the engine reads.
struct OracleConfiguration {
  private enum ScrollDirection: String { case vertical, horizontal }
  private enum LayoutDirection: String { case leftToRight, rightToLeft }
  private enum Snap: String { case none, itemLeading, itemCenter, page }

  private struct Override {
    let key: String
    let settings: OracleSectionSettings
  }

  let container: OracleContainer
  let isMirrored: Bool
  /// Units between neighbouring sections.
  let sectionSpacing: Int64
  let effect: OracleEffect?
  /// Whether lengths measured in another container are kept.
  let keepsMeasuredLengths: Bool
  private let defaults: OracleSectionSettings
  private let overrides: [Override]

  init(text: String) throws(OracleRefusal) {
    let json: JSONValue
    do {
      json = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    } catch {
      throw OracleRefusal(.malformedText, "\(error)")
    }
    let top = try OracleObject(json, path: "")
    try top.refuseMembers(otherThan: [
      "container", "scrollDirection", "layoutDirection", "section", "breakpoints", "sections",
      "sectionSpacing", "effect", "snap", "keepsMeasuredLengths",
    ])
    if let object = try top.object("effect") {
      effect = try OracleEffect(object)
    } else {
      effect = nil
    }
    _ = try top.choice("snap", Snap.self)
    keepsMeasuredLengths = try top.flag("keepsMeasuredLengths") ?? false

    guard let containerObject = try top.object("container") else {
      throw OracleRefusal(.missingMember, "container")
    }
    let direction = try top.choice("scrollDirection", ScrollDirection.self) ?? .vertical
    let container = try OracleContainer(containerObject, isVertical: direction == .vertical)
    self.container = container
    isMirrored = try top.choice("layoutDirection", LayoutDirection.self) == .rightToLeft
    sectionSpacing = try top.length("sectionSpacing") ?? 0

    guard var section = try top.object("section") else {
      throw OracleRefusal(.missingMember, "section")
    }
    try OracleSectionSettings.refuseUnknownMembers(of: section)
    section = try Self.section(section, atCrossLengthOf: container, top)
    defaults = try OracleSectionSettings(section, container: container)
    var overrides: [Override] = []
    // Every override is checked, also one for a section that does not exist.
    if case .object(let members)? = top.value("sections") {
      for member in members {
        let override = try OracleObject(member.value, path: "sections.\(member.key)")
        try OracleSectionSettings.refuseUnknownMembers(of: override)
        let merged = section.overridden(by: override, conflicts: OracleContent.conflicts)
        overrides.append(
          Override(
            key: member.key,
            settings: try OracleSectionSettings(merged, container: container)))
      }
    } else if top.has("sections") {
      throw OracleRefusal(.wrongType, "sections")
    }
    self.overrides = overrides
    if effect?.needsPages ?? false {
      for settings in [defaults] + overrides.map(\.settings)
      where !settings.content.isPages(of: container) {
        throw OracleRefusal(.conflictingMembers, "effect")
      }
    }
  }

  /// The defaults of sections in a container: those of the last breakpoint that it reaches, over
  /// those of `section`.
  private static func section(
    _ section: OracleObject, atCrossLengthOf container: OracleContainer, _ top: OracleObject
  ) throws(OracleRefusal) -> OracleObject {
    guard let value = top.value("breakpoints") else { return section }
    guard case .array(let entries) = value else {
      throw OracleRefusal(.wrongType, "breakpoints")
    }
    var applying = section
    var previous: Int64 = -1
    for (index, entry) in entries.enumerated() {
      var override = try OracleObject(entry, path: "breakpoints.\(index)")
      guard let from = try override.length("from") else {
        throw OracleRefusal(.missingMember, override.subject("from"))
      }
      guard from > previous else { throw OracleRefusal(.outOfRange, override.subject("from")) }
      previous = from
      override.remove("from")
      try OracleSectionSettings.refuseUnknownMembers(of: override)
      if from <= container.crossLength {
        applying = section.overridden(by: override, conflicts: OracleContent.conflicts)
      }
    }
    return applying
  }

  /// Keys are equal if their bytes are; `==` would consider e with an accent equal to its
  /// decomposed form.
  func settings(forSection key: String) -> OracleSectionSettings {
    overrides.first { $0.key.utf8.elementsEqual(key.utf8) }?.settings ?? defaults
  }
}
