import CollectionLayout
import LayoutGeometry

/// What makes an element the same one at another revision, or in another layout: a cell's
/// key, else its kind and its section's key.
enum ElementIdentity: Hashable {
  case cell(ExactKey)
  case supplementary(LayoutAttributes.SupplementaryKind, section: ExactKey)
  case decoration(kind: ExactKey, section: ExactKey)

  init(_ element: LayoutAttributes) {
    let section = ExactKey(element.sectionKey)
    self =
      switch element.category {
      case .cell(let key): .cell(ExactKey(key))
      case .supplementary(let kind): .supplementary(kind, section: section)
      case .decoration(let kind): .decoration(kind: ExactKey(kind), section: section)
      }
  }
}

extension LayoutSnapshot {
  /// Elements as queries with some visible bounds show them, wherever they stand.
  ///
  /// - Returns: For each identity the element; `nil` where the snapshot has none.
  /// - Complexity: O(log items) nodes for each.
  func shown(
    _ identities: [ElementIdentity], visible: Rect
  ) throws -> (elements: [LayoutAttributes?], work: QueryWork) {
    let (range, effect) = (mainRange(of: visible), effect(in: visible))
    let (elements, work) = try query { state in
      try identities.map { try element($0, visible: range, effect, in: state) }
    }
    return (elements, work)
  }

  private func element(
    _ identity: ElementIdentity, visible: Range<Length>, _ effect: VisibleEffect?,
    in state: QueryState
  ) throws -> LayoutAttributes? {
    switch identity {
    case .cell(let key):
      guard let number = try trees.itemIndex(ofKey: key.string, in: state.session),
        let place = try trees.place(ofItem: number, in: state.session),
        var cell = try attributes(
          at: IndexPath(section: place.section.index, item: place.item), in: state)
      else { return nil }
      effect?.apply(to: &cell, number: number)
      return cell
    case .supplementary(let kind, let key):
      return try section(ofKey: key, in: state)
        .flatMap { supplementaryElement(kind, of: $0, visible: visible) }
    case .decoration(let kind, let key):
      return try section(ofKey: key, in: state)
        .flatMap { decorationElement(kind.string, of: $0) }
    }
  }

  private func section(ofKey key: ExactKey, in state: QueryState) throws -> PlacedSection? {
    try trees.sectionIndex(ofKey: key.string, in: state.session)
      .flatMap { try section($0, in: state.session) }
  }
}
