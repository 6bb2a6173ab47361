import Foundation

/// A layout's configuration, read from the JSON text that the engine reads.
struct OracleConfiguration {
  private enum ScrollDirection: String { case vertical, horizontal }
  private enum LayoutDirection: String { case leftToRight, rightToLeft }
  private enum Snap: String { case none, itemLeading, itemCenter, page }

  private struct Override {
    let key: String
    let object: OracleObject
    let settings: OracleSectionSettings
  }

  let container: OracleContainer
  let isMirrored: Bool
  /// Units between neighbouring sections.
  let sectionSpacing: Int64
  let effect: OracleEffect?
  /// The elements of the whole layout.
  private(set) var frame: OracleFrame
  /// Whether lengths measured in another container are kept.
  let keepsMeasuredLengths: Bool
  private let defaults: OracleSectionSettings
  private let section: OracleObject
  private let styles: [Override]
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
      "container", "scrollDirection", "layoutDirection", "section", "breakpoints", "styles",
      "sections",
      "sectionSpacing", "effect", "snap", "keepsMeasuredLengths", "header", "footer", "background",
    ])
    if let object = try top.object("effect") {
      effect = try OracleEffect(object)
    } else {
      effect = nil
    }
    if case .array(let positions)? = top.value("snap") {
      for case .number(let position) in positions where position < 0 {
        throw OracleRefusal(.outOfRange, "snap")
      }
    } else {
      _ = try top.choice("snap", Snap.self)
    }
    keepsMeasuredLengths = try top.flag("keepsMeasuredLengths") ?? false

    guard let containerObject = try top.object("container") else {
      throw OracleRefusal(.missingMember, "container")
    }
    let direction = try top.choice("scrollDirection", ScrollDirection.self) ?? .vertical
    let container = try OracleContainer(containerObject, isVertical: direction == .vertical)
    self.container = container
    isMirrored = try top.choice("layoutDirection", LayoutDirection.self) == .rightToLeft
    sectionSpacing = try top.length("sectionSpacing", in: container) ?? 0
    frame = try OracleFrame(top, in: container)

    guard var section = try top.object("section") else {
      throw OracleRefusal(.missingMember, "section")
    }
    try OracleSectionSettings.refuseUnknownMembers(of: section)
    section = try Self.section(section, atCrossLengthOf: container, top)
    defaults = try OracleSectionSettings(section, container: container)
    self.section = section
    styles = try Self.overrides("styles", of: top, section, container)
    overrides = try Self.overrides("sections", of: top, section, container)
    if effect?.needsPages ?? false {
      for settings in [defaults] + styles.map(\.settings) + overrides.map(\.settings)
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
    guard case .array(let entries) = value else { throw OracleRefusal(.wrongType, "breakpoints") }
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
      let merged = section.overridden(by: override, conflicts: OracleContent.conflicts)
      if from <= container.crossLength { applying = merged }
      do {
        _ = try OracleSectionSettings(merged, container: container.widest)
      } catch {
        // The number of columns depends on the container, and so do relative sizes; a fixed size
        // that is too large for this page is so in any container.
        let isFixedSize = error.subject.hasSuffix("itemSize") && !merged.hasRelativeItemSize
        if error.code != .outOfRange || isFixedSize { throw error }
      }
    }
    return applying
  }

  /// Every entry is checked, also one for a section that does not exist.
  private static func overrides(
    _ name: String, of top: OracleObject, _ section: OracleObject, _ container: OracleContainer
  ) throws(OracleRefusal) -> [Override] {
    guard top.has(name) else { return [] }
    guard case .object(let members)? = top.value(name) else {
      throw OracleRefusal(.wrongType, name)
    }
    var overrides: [Override] = []
    for member in members {
      let override = try OracleObject(member.value, path: "\(name).\(member.key)")
      try OracleSectionSettings.refuseUnknownMembers(of: override)
      let merged = section.overridden(by: override, conflicts: OracleContent.conflicts)
      overrides.append(
        Override(
          key: member.key, object: override,
          settings: try OracleSectionSettings(merged, container: container)))
    }
    return overrides
  }

  /// The options of a section's key over those of its style over the defaults; without the
  /// style if the three are not valid together.
  ///
  /// Keys are equal if their bytes are; `==` would consider e with an accent equal to its
  /// decomposed form.
  func settings(forSection key: String, style: String?) -> OracleSectionSettings {
    let override = overrides.first { $0.key.hasBytes(of: key) }
    let style = styles.first { one in style.map { one.key.hasBytes(of: $0) } ?? false }
    guard let style else { return override?.settings ?? defaults }
    guard let override else { return style.settings }
    let merged =
      section
      .overridden(by: style.object, conflicts: OracleContent.conflicts)
      .overridden(by: override.object, conflicts: OracleContent.conflicts)
    guard let both = try? OracleSectionSettings(merged, container: container),
      both.content.isPages(of: container) || !(effect?.needsPages ?? false)
    else { return override.settings }
    return both
  }

  func measured(_ lengths: OracleFrameLengths) -> OracleConfiguration {
    var measured = self
    measured.frame = frame.measured(lengths)
    return measured
  }

  func settings(of section: OracleSection) -> OracleSectionSettings {
    settings(forSection: section.key, style: section.style)
  }
}
