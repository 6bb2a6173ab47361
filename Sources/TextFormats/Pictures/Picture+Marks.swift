package import LayoutCache
import LayoutGeometry

extension Picture {
  /// A change of an element.
  package enum Mark: Sendable {
    /// Its item was inserted, moved to another position in the feed, or has another size or data.
    case edited
    /// It has another position in its section, or another length, as a consequence.
    case moved
  }

  /// The legend of a picture.
  package struct Changes: Sendable {
    /// The revision since which changes are marked.
    package var since: Int
    /// Whether it is only known that something has changed: all elements are then marked.
    package var isEverything: Bool
  }

  /// Returns the number of elements with a mark.
  package func count(of mark: Mark) -> Int { elements.count { $0.mark == mark } }

  /// Returns the picture with marks on changed elements.
  ///
  /// Sections after one whose length has changed move as a whole, which is not marked.
  ///
  /// - Parameter changes: Changes up to the picture's revision, those of its layout among them.
  package func marking(_ changes: DatasetChanges) -> Picture {
    var picture = self
    picture.mark(changes)
    return picture
  }

  private mutating func mark(_ changes: DatasetChanges) {
    let context = changes.layouts.first { $0.layout.isExactly(layout) }?.context
    let isEverything = context?.invalidateEverything ?? true
    self.changes = Changes(since: changes.since, isEverything: isEverything)
    let edited = Set(changes.updates.items.compactMap(\.after))
    let newSections = Set(changes.updates.sections.compactMap(\.after))
    for index in elements.indices {
      let attributes = elements[index].attributes
      let path = attributes.indexPath
      if attributes.isCell, edited.contains(path) || newSections.contains(path.section) {
        elements[index].mark = .edited
      } else if isEverything || context?.hasMoved(attributes) == true {
        elements[index].mark = .moved
      }
    }
  }
}

extension LayoutAttributes {
  package var isCell: Bool { if case .cell = category { true } else { false } }
}

extension InvalidationContext {
  /// Returns whether an element may have another position in its section than before.
  fileprivate func hasMoved(_ element: LayoutAttributes) -> Bool {
    if element.indexPath.isOfLayout {
      let kind = element.representedElementKind ?? ""
      return decorationElements.contains(kind)
        || supplementaryElements.contains(LayoutAttributes.SupplementaryKind(rawValue: kind))
    }
    guard let section = section(element.indexPath.section) else { return false }
    switch element.category {
    case .cell:
      guard let item = element.indexPath.item, section.items.contains(item) else { return false }
      return section.columns.isEmpty || element.column.map(section.columns.contains) ?? true
    case .supplementary(let kind): return section.supplementaryElements.contains(kind)
    case .decoration(let kind): return section.decorationElements.contains(kind)
    }
  }
}
