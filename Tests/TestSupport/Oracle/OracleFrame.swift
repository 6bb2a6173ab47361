/// Measured units along the main axis of a layout's header and footer.
public struct OracleFrameLengths: Hashable, Sendable {
  public var header: Int64?
  public var footer: Int64?
}

/// The header, footer and background of a whole layout; all lengths in units.
struct OracleFrame {
  /// An element before or after the sections.
  struct Boundary {
    var length: Int64 = 0
    var pins = false

    init(_ object: OracleObject?, in container: OracleContainer) throws(OracleRefusal) {
      guard let object else { return }
      try object.refuseMembers(otherThan: ["length", "pins"])
      guard let length = try object.length("length", in: container, fractionFrom: 1) else {
        throw OracleRefusal(.missingMember, object.subject("length"))
      }
      self.length = length
      pins = try object.flag("pins") ?? false
    }

    /// The length of visible bounds that the element takes from those of the sections.
    var pinnedLength: Int64 { pins ? length : 0 }
  }

  private(set) var header: Boundary
  private(set) var footer: Boundary
  let background: OracleBackground?

  init(_ top: OracleObject, in container: OracleContainer) throws(OracleRefusal) {
    header = try Boundary(top.object("header"), in: container)
    footer = try Boundary(top.object("footer"), in: container)
    if let object = try top.object("background") {
      background = try OracleBackground(object, in: container)
    } else {
      background = nil
    }
  }

  /// The kinds of the header, footer and background, as far as there are any.
  var elementKinds: [String] {
    (header.length > 0 ? ["layoutHeader"] : []) + (footer.length > 0 ? ["layoutFooter"] : [])
      + (background.map { [$0.kind] } ?? [])
  }

  /// The frame with measured lengths, which elements that do not exist ignore.
  func measured(_ lengths: OracleFrameLengths) -> OracleFrame {
    var frame = self
    if header.length > 0 { frame.header.length = lengths.header ?? header.length }
    if footer.length > 0 { frame.footer.length = lengths.footer ?? footer.length }
    return frame
  }

  /// The background and the header, which come before the sections in an answer.
  func leadingElements(_ projection: OracleProjection, visible: UnitRect?) -> [OracleElement] {
    var elements: [OracleElement] = []
    if let background {
      let inset = background.inset
      elements.append(
        element(
          .decoration, background.kind,
          projection.frame(
            main: inset.mainLeading,
            mainLength: max(0, projection.mainLength - inset.mainLeading - inset.mainTrailing),
            cross: inset.crossLeading,
            crossLength: max(
              0, projection.crossLength - inset.crossLeading - inset.crossTrailing)),
          zIndex: background.zIndex))
    }
    if header.length > 0 {
      var start: Int64 = 0
      if header.pins, let visible {
        let last = projection.mainLength - footer.length - header.length
        start = min(max(0, projection.mainInterval(of: visible).start), last)
      }
      elements.append(boundary("layoutHeader", header, at: start, projection))
    }
    return elements
  }

  /// The footer, which comes after the sections in an answer.
  func trailingElements(_ projection: OracleProjection, visible: UnitRect?) -> [OracleElement] {
    if footer.length == 0 { return [] }
    var start = projection.mainLength - footer.length
    if footer.pins, let visible {
      start = min(start, projection.mainInterval(of: visible).end - footer.length)
      start = max(start, header.length)
    }
    return [boundary("layoutFooter", footer, at: start, projection)]
  }

  private func boundary(
    _ kind: String, _ boundary: Boundary, at start: Int64, _ projection: OracleProjection
  ) -> OracleElement {
    element(
      .supplementary, kind,
      projection.frame(
        main: start, mainLength: boundary.length, cross: 0, crossLength: projection.crossLength),
      zIndex: boundary.pins ? OracleLimits.pinnedZIndex : 0)
  }

  private func element(
    _ category: OracleElement.Category, _ kind: String, _ frame: UnitRect, zIndex: Int
  ) -> OracleElement {
    OracleElement(
      category: category, kind: kind, section: OracleElement.noSection, sectionKey: "",
      frame: frame, zIndex: zIndex)
  }
}
