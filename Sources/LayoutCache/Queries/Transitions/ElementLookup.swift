import CollectionLayout
import LayoutGeometry

/// A look-up of other snapshots' elements in a snapshot: as in a query with the visible bounds,
/// but at any position.
struct ElementLookup {
  private let snapshot: LayoutSnapshot
  private let state: QueryState
  /// The bounds to which elements of the layout, and those of sections are pinned.
  private let bounds: (layout: PinBounds, sections: PinBounds?)
  private let effects: [VisibleEffect]
  /// The elements of the rules of the last section looked up: a rule can only compute them
  /// together.
  private var own: (section: Int, elements: [ElementIdentity: CustomElement])?

  init(_ snapshot: LayoutSnapshot, visible: Rect, in state: QueryState) {
    self.snapshot = snapshot
    self.state = state
    let range = snapshot.mainRange(of: visible)
    bounds = (PinBounds(range), snapshot.sectionBounds(in: range))
    effects = snapshot.effects(in: visible)
  }

  /// Returns the attributes of an element.
  ///
  /// - Returns: `nil` if the snapshot has no such element, or if the cell is hidden.
  /// - Complexity: O(log items) nodes. For the first element of a rule also O(elements of the
  ///   section's rules).
  mutating func element(_ identity: ElementIdentity) throws -> LayoutAttributes? {
    switch identity {
    case .cell(let key):
      guard let (number, place) = try place(ofItem: key),
        var cell = try snapshot.attributes(at: place, in: state), !cell.isHidden
      else { return nil }
      if effects.isEmpty { return cell }
      let style = try snapshot.style(ofSection: place.section)
      let effect = snapshot.plan.effect(of: snapshot.plan.section(cell.sectionKey, style: style))
      effects.first { $0.effect == effect?.effect }?.apply(to: &cell, number: number)
      return cell
    case .cellElement(let kind, let key):
      guard let (_, place) = try place(ofItem: key),
        let searched = try snapshot.searchedSection(place.section, in: state),
        let elements = try elements(of: searched)
      else { return nil }
      return try elements.cellElement(kind, ofItem: place.item ?? 0)
        .map { snapshot.attributes(of: $0, searched.section) }
    case .layoutElement(let kind):
      var bounds: PinBounds? = bounds.layout
      return snapshot.layoutElement(kind.category, in: &bounds)
    case .sectionElement(let kind, let key, number: nil):
      guard let searched = try section(key) else { return nil }
      switch kind {
      case .supplementary(let kind):
        return snapshot.supplementaryElement(kind, of: searched.section, in: bounds.sections)
      case .decoration(let kind):
        return snapshot.decorationElement(kind, of: searched.section)
      }
    case .sectionElement(let kind, let key, let number?):
      guard let searched = try section(key) else { return nil }
      let isRuled = searched.section.plan.own?.decorations.contains { $0.kind == kind } != true
      return try
        (isRuled
        ? ruledElements(of: searched, key)[identity]
        : elements(of: searched)?.element(kind, number: number))
        .map { snapshot.attributes(of: $0, searched.section) }
    }
  }

  private func place(ofItem key: ExactKey) throws -> (number: Int, place: IndexPath)? {
    guard let number = try snapshot.trees.itemIndex(ofKey: key.string, in: state.session),
      let place = try snapshot.trees.place(ofItem: number, in: state.session)
    else { return nil }
    return (number, IndexPath(section: place.section.index, item: place.item))
  }

  private func section(_ key: ExactKey) throws -> SearchedSection? {
    try snapshot.trees.sectionIndex(ofKey: key.string, in: state.session)
      .flatMap { try snapshot.searchedSection($0, in: state) }
  }

  private func elements(of searched: SearchedSection) throws -> SectionElements? {
    try searched.section.plan.own.map {
      try SectionElements($0, of: searched, in: snapshot, state.session)
    }
  }

  private mutating func ruledElements(
    of searched: SearchedSection, _ key: ExactKey
  ) throws -> [ElementIdentity: CustomElement] {
    if let own, own.section == searched.section.index { return own.elements }
    var elements: [ElementIdentity: CustomElement] = [:]
    try self.elements(of: searched)?.forEachRuled { element in
      elements[.sectionElement(element.kind, section: key, number: element.index)] = element
      return true
    }
    own = (searched.section.index, elements)
    return elements
  }
}
