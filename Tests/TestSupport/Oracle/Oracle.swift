/// The simplest correct layout: everything from scratch, in plain arrays, every query a scan.
/// The engine's answers are compared with its answers.
///
/// All lengths are units of 1/64 point. It shares no code with the engine and reads the same
/// configuration text. Custom kinds are rejected as unsupported, except those that the engine's
/// tests register.
public struct Oracle {
  private var sections: [OraclePlacedSection]
  private var projection: OracleProjection
  private let effect: OracleEffect
  private let frame: OracleFrame
  /// The member n of items' data, which conditions of badges may read, by the bytes of the key.
  public var numbers: [[UInt8]: Double] = [:]

  /// - Throws: `OracleRefusal` for a configuration or an item that violates the specification,
  ///   and for features that the oracle does not support.
  public init(
    configuration text: String, sections: [OracleSection]
  ) throws(OracleRefusal) {
    try self.init(configuration: OracleConfiguration(text: text), sections: sections)
  }

  init(
    configuration: OracleConfiguration, sections feed: [OracleSection]
  ) throws(OracleRefusal) {
    let container = configuration.container
    var placed: [OraclePlacedSection] = []
    var firstItem = 0
    for (index, section) in feed.enumerated() {
      let settings = configuration.settings(of: section).measured(section)
      var items: [OracleNaturalItem] = []
      for item in section.placed {
        items.append(try OracleNaturalItem(item, isVertical: container.isVertical))
      }
      placed.append(
        OraclePlacedSection(
          index: index, section: section, settings: settings,
          placement: try settings.content.place(items).withCollapsed(section.items),
          firstItem: firstItem,
          start: placed.last.map { $0.end + configuration.sectionSpacing }
            ?? configuration.frame.header.length))
      firstItem += section.items.count
      guard placed[index].end <= OracleLimits.contentLengthMax else {
        throw OracleRefusal(.contentTooLong, section.key)
      }
    }
    sections = placed
    projection = OracleProjection(
      container: container, isMirrored: configuration.isMirrored,
      mainLength: (placed.last?.end ?? configuration.frame.header.length)
        + configuration.frame.footer.length)
    effect = configuration.effect ?? .off
    frame = configuration.frame
    guard projection.mainLength <= OracleLimits.contentLengthMax else {
      throw OracleRefusal(.contentTooLong, "footer")
    }
  }

  public var contentSize: UnitSize { projection.contentSize }

  /// Whether the layout scrolls vertically.
  public var isVertical: Bool { projection.isVertical }

  /// Whether frames are mirrored in the content.
  public var isMirrored: Bool { projection.isMirrored }

  /// The layout of an equal configuration with the `layoutDirection` leftToRight, or, mirrored,
  /// rightToLeft.
  public func reading(isMirrored: Bool) -> Oracle {
    var oracle = self
    oracle.projection.isMirrored = isMirrored
    return oracle
  }

  /// The layout with carousels at scroll positions, by section key; all others are at 0.
  public func scrolled(to offsets: [(key: String, offset: Int64)]) -> Oracle {
    var scrolled = self
    for index in sections.indices {
      let own = offsets.last { $0.key.hasBytes(of: sections[index].section.key) }
      scrolled.sections[index].offset = own?.offset ?? 0
    }
    return scrolled
  }

  /// Every element of the feed in the order of an answer, empty ones and those of carousels
  /// outside the container included, without effects.
  ///
  /// - Parameter visible: The rectangle that pinned headers and footers stay within; nil leaves
  ///   them unpinned.
  public func allElements(visible: UnitRect? = nil) -> [OracleElement] {
    frame.leadingElements(projection, visible: visible)
      + sections.flatMap {
        $0.elements(projection, frame, visible: visible, numbers: numbers)
      }
      + frame.trailingElements(projection, visible: visible)
  }

  /// The elements whose frames intersect `rect`, with pinned headers and footers in their
  /// pinned positions and cells transformed by the effect; `visible` defaults to `rect`.
  public func elements(in rect: UnitRect, visible: UnitRect? = nil) -> [OracleElement] {
    let rect = rect.bounded
    let visible = visible?.bounded ?? rect
    var elements = inContainer(visible: visible)
    let stage = OracleStage(
      effects: sections.map { $0.settings.effect ?? effect }, projection: projection, rect: rect,
      visible: visible)
    elements = stage.applied(to: elements)
    return elements.filter { !$0.isHidden && $0.frame.intersects(rect) }
  }

  /// All elements except hidden cells and the cells of carousels outside the container.
  public func elementsInContainer(visible: UnitRect?) -> [OracleElement] {
    inContainer(visible: visible).filter { !$0.isHidden }
  }

  private func inContainer(visible: UnitRect?) -> [OracleElement] {
    // A cell's elements follow it: they are shown if the cell is, wherever they are.
    var outside: Set<[Int]> = []
    return allElements(visible: visible).filter { element in
      guard let item = element.item, sections[element.section].placement.scrollLength != nil
      else { return true }
      guard element.category == .cell else { return !outside.contains([element.section, item]) }
      let isInside =
        projection.isVertical
        ? element.x < contentSize.width && element.x + element.width > 0
        : element.y < contentSize.height && element.y + element.height > 0
      if !isInside { outside.insert([element.section, item]) }
      return isInside
    }
  }

  /// A section's "header" or "footer", unpinned; nil for length 0.
  public func supplementary(kind: String, section: Int) -> OracleElement? {
    guard sections.indices.contains(section) else { return nil }
    return sections[section].elements(projection, frame, visible: nil)
      .first { $0.category == .supplementary && $0.kind == kind && $0.item == nil }
  }

  /// The element that contains the point: the highest z-index, and of equals the last in the
  /// order of an answer.
  ///
  /// - Parameter visible: The rectangle that pinned headers and footers stay within and that
  ///   the effect refers to; nil disables both.
  public func element(at point: UnitPoint, visible: UnitRect? = nil) -> OracleElement? {
    let unit = UnitRect(x: point.x, y: point.y, width: 1, height: 1)
    let elements =
      visible.map { self.elements(in: unit, visible: $0) } ?? elementsInContainer(visible: nil)
    var topmost: OracleElement?
    for element in elements where element.frame.contains(point) {
      if topmost.map({ $0.zIndex <= element.zIndex }) ?? true { topmost = element }
    }
    return topmost
  }

  public var sectionsSummary: [OracleSectionSummary] {
    sections.map {
      OracleSectionSummary(
        key: $0.section.key, firstItem: $0.firstItem, count: $0.section.items.count,
        start: $0.start, length: $0.length,
        carousel: $0.carousel(
          in: projection.isVertical ? contentSize.width : contentSize.height))
    }
  }
}
