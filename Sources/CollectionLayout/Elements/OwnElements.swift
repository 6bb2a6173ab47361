package import LayoutGeometry

/// The additional elements of a section, and their extent: those of its kind, of its decorators,
/// its badges and its decorations.
///
/// A class, because plans are copied for each section that a query visits, and most have none.
package final class OwnElements: Sendable {
  /// The rules: that of the section's kind, if it has one, and its decorators.
  package let rules: [ElementRule]
  /// The decorations of the section itself, in order.
  package let decorations: [DecorationPlan]
  package let sectionKinds: Set<CustomElement.Kind>
  package let cellKinds: Set<CustomElement.Kind>
  /// The maximum extent beyond the content and the cells.
  package let overhang: Length
  /// Whether rules read the data of items.
  package let rulesReadData: Bool
  /// The members of data that the filters of badges read.
  package let filterMembers: [ExactKey]
  private let badges: [BadgePlan]
  private let separators: [DecorationPlan]
  private let origin: Origin

  /// The inputs of the elements, except those of the rule of the section's kind.
  private struct Origin: Equatable {
    var badges: [SectionOptions.Badge] = []
    var decorations: [SectionOptions.Decoration] = []
    var decorators: [SectionOptions.Decorator] = []
    var space: SectionSpace?
  }

  /// Creates the elements of a section.
  ///
  /// - Parameters:
  ///   - rule: The rule of the section's kind, if it has additional elements.
  ///   - names: The kinds of the section's elements, to which those of these and of the background
  ///     are added.
  /// - Returns: `nil` if there are no additional elements.
  init?(
    _ options: SectionOptions, rule: (any SectionDecorator)?, inset: EdgeInsets,
    _ checks: OptionChecks, _ custom: CustomKinds, _ names: inout KindNames
  ) throws(ConfigurationError) {
    var origin = Origin(
      badges: options.badges ?? [], decorations: options.decorations ?? [],
      decorators: options.decorators ?? [])
    let path = checks.path
    if rule == nil && origin == Origin() {
      names.add(background: options.background)
      return nil
    }
    try checks.check(origin.badges, "badges", upTo: Limits.badgesMax)
    try checks.check(origin.decorations, "decorations", upTo: Limits.decorationsMax)
    try checks.check(origin.decorators, "decorators", upTo: Limits.decoratorsMax)
    var rules: [ElementRule] = []
    if let rule { rules.append(try ElementRule(rule, &names, at: path)) }
    names.add(background: options.background)
    if !origin.decorators.isEmpty {
      let space = SectionSpace(
        container: checks.space.container, line: try checks.line(inset: inset))
      for (index, decorator) in origin.decorators.enumerated() {
        let path = path + ["decorators", "\(index)"]
        rules.append(
          try ElementRule(custom.decorator(decorator, in: space, at: path), &names, at: path))
      }
      origin.space = space
    }
    let badges = try origin.badges.enumerated().map { index, badge throws(ConfigurationError) in
      try BadgePlan(badge, in: checks.space, &names, at: path + ["badges", "\(index)"])
    }
    var decorations = try origin.decorations.enumerated().map {
      index, decoration throws(ConfigurationError) in
      let checks = OptionChecks(space: checks.space, path: path + ["decorations", "\(index)"])
      return try DecorationPlan(decoration, &names, checks)
    }
    // As any member that a kind does not read, runs are ignored where items are not in lines.
    if ![.flow, .justified, .grid].contains(options.kind ?? SectionOptions.kindDefault) {
      decorations.removeAll { $0.runCount != nil }
    }
    (self.rules, self.badges, self.origin) = (rules, badges, origin)
    self.decorations = decorations.filter { $0.separatorLength == nil }
    separators = decorations.filter { $0.separatorLength != nil }
    sectionKinds = rules.reduce(into: Set(self.decorations.map(\.kind))) {
      $0.formUnion($1.sectionKinds)
    }
    cellKinds = rules.reduce(into: Set(badges.map(\.kind) + separators.map(\.kind))) {
      $0.formUnion($1.cellKinds)
    }
    let reaches = rules.map(\.overhang) + badges.map(\.reach)
    overhang = (reaches + separators.compactMap(\.separatorLength)).max() ?? .zero
    rulesReadData = rules.contains { $0.rule.readsData }
    filterMembers = Array(Set(badges.flatMap { $0.filter?.members ?? [] }))
  }

  /// Returns whether both have the same elements, but for those of the section's kind.
  package func isEqual(to other: OwnElements) -> Bool { origin == other.origin }

  /// Whether the data of items affects the elements.
  package var readsData: Bool { rulesReadData || !filterMembers.isEmpty }

  package var kinds: Set<CustomElement.Kind> { sectionKinds.union(cellKinds) }

  /// Returns the elements of a cell, or those of one kind.
  ///
  /// - Parameter matches: Returns whether a badge's filter matches the cell's item.
  /// - Throws: `LimitError` for an element beyond the range of lengths, or too many elements;
  ///   errors of `matches`.
  package func elements(
    of cell: PlacedItem, _ kind: CustomElement.Kind? = nil,
    matches: (ItemFilter) throws -> Bool
  ) throws -> [CustomElement] {
    var elements: [CustomElement] = []
    for rule in rules where kind.map(rule.cellKinds.contains) ?? !rule.cellKinds.isEmpty {
      elements += try rule.elements(of: cell).filter { kind == nil || $0.kind == kind }
    }
    for badge in badges where kind == nil || badge.kind == kind {
      if let filter = badge.filter, try !matches(filter) { continue }
      elements.append(badge.element(of: cell))
    }
    for separator in separators where kind == nil || separator.kind == kind {
      if let element = separator.element(before: cell) { elements.append(element) }
    }
    return elements
  }
}

/// A rule for additional elements, whose results are checked.
package struct ElementRule: Sendable {
  let rule: any SectionDecorator
  /// The rule's name in configurations.
  let name: String
  package let sectionKinds: Set<CustomElement.Kind>
  let cellKinds: Set<CustomElement.Kind>
  let overhang: Length

  init(
    _ rule: any SectionDecorator, _ names: inout KindNames, at path: [String]
  ) throws(ConfigurationError) {
    self.rule = rule
    name = type(of: rule).kind
    (sectionKinds, cellKinds, overhang) = (rule.sectionKinds, rule.cellKinds, rule.overhang)
    try ConfigurationError.limit(
      at: path,
      Limits.check(
        overhang, in: .zero...Limits.sideMax, as: LimitError.Subject("overhang of kind '\(name)'")))
    try ConfigurationError.limit(
      at: path,
      Limits.check(
        sectionKinds.count + cellKinds.count, in: 0...Limits.decoratorKindsMax,
        as: LimitError.Subject("kinds of elements of kind '\(name)'")))
    for (kinds, owner) in [(sectionKinds, "the sections"), (cellKinds, "the cells")] {
      for kind in kinds.sorted(by: { $0.name < $1.name }) {
        try names.add(kind, "\(owner) of kind '\(name)'", at: path)
      }
    }
  }

  /// Returns the section's elements that intersect a rectangle of its content.
  ///
  /// - Throws: `LimitError` for an element beyond the range of lengths; errors of the rule.
  package func elements(in rect: Rect, of section: DecoratedSection) throws -> [CustomElement] {
    if sectionKinds.isEmpty { return [] }
    let elements = try rule.elements(in: rect, of: section)
    for element in elements { try check(element, of: sectionKinds, "sectionKinds") }
    return elements.filter { $0.frame.intersects(rect) }
  }

  private static let partItemCount = 4096
  private static let partsMax = 1024

  /// Calls `body` with all elements of the section, each once, until it returns `false`.
  ///
  /// - Throws: As ``elements(in:of:)``.
  package func forEachElement(
    of section: DecoratedSection, _ body: (CustomElement) -> Bool
  ) throws {
    let reach = Limits.contentLengthMax
    let (start, end) = (-overhang, section.contentLength + overhang)
    // In parts, so that a rule has some thousands of items at a time; but few enough for a rule
    // that ignores the rectangle.
    let parts = min(section.itemCount / Self.partItemCount + 1, Self.partsMax)
    let length = Length(units: (end - start).units / Int64(parts) + 1)
    var part = Rect(x: -reach, y: start, width: reach + reach, height: length)
    repeat {
      for element in try elements(in: part, of: section)
      where part.minY == start || element.frame.minY >= part.minY {
        if !body(element) { return }
      }
      part.origin.y += length
    } while part.minY < end
  }

  func elements(of cell: PlacedItem) throws(LimitError) -> [CustomElement] {
    var cell = cell
    if !rule.readsData { cell.item.data = nil }
    let elements = rule.elements(of: cell)
    try Limits.check(
      elements.count, in: 0...max(cellKinds.count, 1),
      as: LimitError.Subject("elements of a cell of kind '\(name)'"))
    for element in elements { try check(element, of: cellKinds, "cellKinds") }
    return elements
  }

  private func check(
    _ element: CustomElement, of kinds: Set<CustomElement.Kind>, _ list: String
  ) throws(LimitError) {
    precondition(
      kinds.contains(element.kind),
      "A rule with elements '\(element.kind.name)' must list them in `\(list)`.")
    func subject(_ name: String) -> LimitError.Subject {
      LimitError.Subject("\(name) of an element of kind '\(self.name)'")
    }
    let reach = -Limits.contentLengthMax...Limits.contentLengthMax
    let sides = Length.zero...Limits.contentLengthMax
    try Limits.check(element.index, in: 0...Limits.itemsMax, as: subject("index"))
    try Limits.check(element.frame.origin.x, in: reach, as: subject("x"))
    try Limits.check(element.frame.origin.y, in: reach, as: subject("y"))
    try Limits.check(element.frame.size.width, in: sides, as: subject("width"))
    try Limits.check(element.frame.size.height, in: sides, as: subject("height"))
    try Limits.check(
      element.zIndex, in: -Limits.customZIndexMax...Limits.customZIndexMax, as: subject("z-index"))
    try Limits.check(element.alpha, in: 0...1, as: subject("alpha"))
  }
}

/// The names of a section's kinds of elements, which all differ.
struct KindNames {
  private var owners: [ExactKey: String] = [:]

  init() {
    for name in ["header", "footer", "layoutHeader", "layoutFooter"] {
      owners[ExactKey(name)] = "the \(name)"
    }
  }

  /// Adds the background. A custom kind may have elements of its kind, which have numbers.
  mutating func add(background: SectionOptions.Background?) {
    if let background { owners[ExactKey(background.kind)] = "the background" }
  }

  /// Adds a kind of elements.
  ///
  /// - Throws: ``ConfigurationError`` for an invalid name, or that of another kind.
  mutating func add(
    _ kind: CustomElement.Kind, _ owner: String, at path: [String]
  ) throws(ConfigurationError) {
    try ConfigurationError.limit(at: path, Limits.check(name: kind.name, as: "an element's kind"))
    guard let other = owners.updateValue(owner, forKey: ExactKey(kind.name)) else { return }
    throw ConfigurationError(
      .malformed(detail: "\(other) and \(owner) both have the kind '\(excerpt(kind.name))'"),
      at: path)
  }
}
