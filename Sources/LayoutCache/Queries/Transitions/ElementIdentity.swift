public import CollectionLayout
import LayoutGeometry
import SumTree

/// The identity of an element across revisions and layouts.
enum ElementIdentity: Hashable {
  /// A cell, by its item's key.
  case cell(ExactKey)
  /// An additional element of a cell, by the item's key.
  case cellElement(CustomElement.Kind, item: ExactKey)
  /// An element of the whole layout.
  case layoutElement(CustomElement.Kind)
  /// An element of a section, by the section's key: the header, the footer, the background, a
  /// decoration, or, with its number among those of its kind, a run or an element of a rule.
  case sectionElement(CustomElement.Kind, section: ExactKey, number: Int?)
}

extension LayoutSnapshot {
  /// Returns the identities of elements.
  ///
  /// - Parameter elements: Elements from answers of this snapshot.
  /// - Returns: The identities, in the same order.
  /// - Complexity: O(log items) nodes for each additional element of a cell.
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
      plan.section(element.sectionKey, style: style).own?.cellKinds.contains(kind)
        == true
    {
      let number = try trees.items(ofSection: path.section, in: session).lowerBound + item
      let found = try trees.items.place(at: number, in: session)
      return .cellElement(kind, item: ExactKey(found.leaf.key(at: found.index)))
    }
    return .sectionElement(kind, section: ExactKey(element.sectionKey), number: path.item)
  }
}

extension LayoutSnapshot {
  /// Returns the index paths of all supplementary elements of a kind, visible or not, that another
  /// snapshot does not have.
  ///
  ///     let inserted = try after.indexPaths(ofSupplementary: .header, missingIn: before)
  ///     let deleted = try before.indexPaths(ofSupplementary: .header, missingIn: after)
  ///
  /// Elements are identified as in a ``LayoutTransition``: one that only moved is in neither. An
  /// element with an empty frame, such as the background of an empty section, exists.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - other: The snapshot of the same layout before or after changes, or of another layout.
  /// - Returns: The index paths in this snapshot, in order; ``LayoutAttributes/IndexPath/layout``
  ///   for an element of the whole layout.
  /// - Throws: As ``elements(in:visible:limit:)``.
  /// - Complexity: O(sections + elements of the kind); for elements of cells O(items · log items)
  ///   nodes.
  ///
  /// Source: `indexPathsToInsertForSupplementaryView(ofKind:)` and
  /// `indexPathsToDeleteForSupplementaryView(ofKind:)` of UICollectionViewLayout.
  public func indexPaths(
    ofSupplementary kind: LayoutAttributes.SupplementaryKind, missingIn other: LayoutSnapshot
  ) throws -> [LayoutAttributes.IndexPath] {
    try indexPaths(of: .supplementary(kind), missingIn: other)
  }

  /// As ``indexPaths(ofSupplementary:missingIn:)``, of decorations.
  ///
  /// - Parameters:
  ///   - kind: The kind.
  ///   - other: As for that call.
  ///
  /// Source: `indexPathsToInsertForDecorationView(ofKind:)` and
  /// `indexPathsToDeleteForDecorationView(ofKind:)` of UICollectionViewLayout.
  public func indexPaths(
    ofDecoration kind: String, missingIn other: LayoutSnapshot
  ) throws -> [LayoutAttributes.IndexPath] {
    try indexPaths(of: .decoration(kind), missingIn: other)
  }

  private func indexPaths(
    of kind: CustomElement.Kind, missingIn other: LayoutSnapshot
  ) throws -> [IndexPath] {
    var others: Set<ElementIdentity> = []
    try other.forEachElement(of: kind) { identity, _ in others.insert(identity) }
    var paths: [IndexPath] = []
    try forEachElement(of: kind) { identity, path in
      if !others.contains(identity) { paths.append(path) }
    }
    return paths
  }

  /// Calls `body` with all elements of a kind, in order.
  private func forEachElement(
    of kind: CustomElement.Kind, _ body: (ElementIdentity, IndexPath) -> Void
  ) throws {
    _ = try query { state in
      var bounds: PinBounds?
      if layoutElement(kind.category, in: &bounds) != nil {
        body(.layoutElement(kind), IndexPath.layout)
      }
      var walk = SectionWalk(self, in: state.session)
      while let section = try walk.advance() {
        let key = ExactKey(section.key)
        if sectionElement(kind, of: section) != nil {
          body(.sectionElement(kind, section: key, number: nil), IndexPath(section: section.index))
        }
        guard let own = section.plan.own, own.kinds.contains(kind) else { continue }
        let elements = try SectionElements(
          own, of: SearchedSection(section, in: self), in: self, state.session)
        try elements.forEachNumber(of: kind) { number in
          body(
            .sectionElement(kind, section: key, number: number),
            IndexPath(section: section.index, item: number))
        }
        guard own.cellKinds.contains(kind) else { continue }
        for item in 0..<section.itemCount
        where try elements.cellElement(kind, ofItem: item) != nil {
          let found = try trees.items.place(at: section.firstItem + item, in: state.session)
          body(
            .cellElement(kind, item: ExactKey(found.leaf.key(at: found.index))),
            IndexPath(section: section.index, item: item))
        }
      }
    }
  }

  /// Returns a section's header, footer or background; `nil` if it has none of the kind.
  private func sectionElement(
    _ kind: CustomElement.Kind, of section: PlacedSection
  ) -> LayoutAttributes? {
    switch kind {
    case .supplementary(let kind): supplementaryElement(kind, of: section, in: nil)
    case .decoration(let kind): decorationElement(kind, of: section)
    }
  }
}
