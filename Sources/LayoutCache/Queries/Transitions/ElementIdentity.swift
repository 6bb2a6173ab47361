import CollectionLayout
import LayoutGeometry
import SumTree

/// The identity of an element across revisions and layouts.
enum ElementIdentity: Hashable {
  /// A cell, by its item's key.
  case cell(ExactKey)
  /// A custom element of a cell, by the item's key.
  case cellElement(CustomElement.Kind, item: ExactKey)
  /// An element of the whole layout.
  case layoutElement(CustomElement.Kind)
  /// An element of a section, by the section's key: the header, the footer, the background, or,
  /// with its number among those of its kind, a custom element.
  case sectionElement(CustomElement.Kind, section: ExactKey, number: Int?)
}

extension LayoutSnapshot {
  /// Returns the identities of elements.
  ///
  /// - Parameter elements: Elements from answers of this snapshot.
  /// - Returns: The identities, in the same order.
  /// - Complexity: O(log items) nodes for each custom element of a cell.
  func identities(
    of elements: [LayoutAttributes]
  ) throws -> (identities: [ElementIdentity], work: QueryWork) {
    let (identities, work) = try query { state in
      try elements.map { try identity(of: $0, in: state.session) }
    }
    return (identities, work)
  }

  private func identity(
    of element: LayoutAttributes, in session: TreeSession
  ) throws -> ElementIdentity {
    let kind: CustomElement.Kind
    switch element.category {
    case .cell(let key): return .cell(ExactKey(key))
    case .supplementary(let supplementary): kind = .supplementary(supplementary)
    case .decoration(let decoration): kind = .decoration(decoration)
    }
    let path = element.indexPath
    if path.isOfLayout { return .layoutElement(kind) }
    if let item = path.item,
      case let style = try style(ofSection: path.section, in: session),
      plan.section(element.sectionKey, style: style).kind.ownElements?.cellKinds.contains(kind)
        == true
    {
      let number = try trees.items(ofSection: path.section, in: session).lowerBound + item
      let found = try trees.items.place(at: number, in: session)
      return .cellElement(kind, item: ExactKey(found.leaf.key(at: found.index)))
    }
    return .sectionElement(kind, section: ExactKey(element.sectionKey), number: path.item)
  }
}
