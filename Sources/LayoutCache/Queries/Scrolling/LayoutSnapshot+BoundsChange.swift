public import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Whether a container of another size changes the layout.
  ///
  /// Source: `shouldInvalidateLayout(forBoundsChange:)` of UICollectionViewLayout, for a change of
  /// size. Scrolling does not affect the layout, because queries take the visible rectangle as a
  /// parameter; the method for a rectangle says whether their answers depend on it.
  ///
  /// - Parameter size: The container's new size.
  /// - Complexity: As ``invalidationContext(forBoundsChange:)-(Size)``.
  public func shouldInvalidateLayout(forBoundsChange size: Size) throws -> Bool {
    try !invalidationContext(forBoundsChange: size).isEmpty
  }

  /// Whether elements are elsewhere after scrolling to a visible rectangle: whether an effect, or
  /// an element that pins, reads it.
  ///
  /// Source: `shouldInvalidateLayout(forBoundsChange:)` of UICollectionViewLayout, for scrolling.
  ///
  /// - Parameter bounds: The new visible rectangle in the content.
  /// - Complexity: As the context for the rectangle.
  public func shouldInvalidateLayout(forBoundsChange bounds: Rect) throws -> Bool {
    try !invalidationContext(forBoundsChange: bounds).isEmpty
  }

  /// Returns the elements that a client must query again when it scrolls to a visible rectangle,
  /// besides those that come into sight: with an effect everything, otherwise the elements
  /// that pin, of the layout and of the sections that intersect the rectangle.
  ///
  /// - Parameter bounds: The new visible rectangle in the content.
  /// - Complexity: O(log sections + sections in the rectangle); with an effect O(1).
  public func invalidationContext(forBoundsChange bounds: Rect) throws -> InvalidationContext {
    var context = InvalidationContext()
    if !plan.effects.isEmpty {
      context.reason = .relaid
      return context
    }
    if plan.frame.pins.header { context.supplementaryElements.insert(.layoutHeader) }
    if plan.frame.pins.footer { context.supplementaryElements.insert(.layoutFooter) }
    let range = mainRange(of: bounds.bounded)
    _ = try query { state in
      var walk = SectionWalk(self, in: state.session)
      try walk.seek(endingAfter: range.lowerBound, atLeast: 0)
      while let section = try walk.advance(), section.start < range.upperBound {
        let kinds = Set(section.plan.boundary.elements.filter(\.pins).map(\.kind))
        if kinds.isEmpty { continue }
        var invalidation = SectionInvalidation(section: section.index)
        invalidation.supplementaryElements = kinds
        context.invalidate(invalidation)
      }
    }
    return context
  }

  /// Returns the parts that a client must query again when the container's size changes in the
  /// configuration.
  ///
  /// A change of the cross length places everything again. A change of the length along the
  /// scrolling axis affects circles, which are pages, and sections of custom kinds, which may
  /// read it; with an effect all cells, because effects depend on the visible rectangle. It
  /// also moves the snap positions of `page`, but no element.
  ///
  /// Source: `invalidationContext(forBoundsChange:)` of UICollectionViewLayout.
  ///
  /// - Parameter size: The container's new size.
  /// - Returns: The context; empty if nothing must be queried again. It does not contain the
  ///   new content length, which is known only after the layout.
  /// - Complexity: O(log sections) nodes for each section of such a kind named in the
  ///   configuration; O(sections) if such sections may have a style; otherwise O(1).
  public func invalidationContext(forBoundsChange size: Size) throws -> InvalidationContext {
    let container = plan.space.oriented(size.bounded)
    var everything = InvalidationContext()
    everything.reason = .relaid
    if container.width != plan.space.crossLength {
      everything.contentSizeAdjustment = plan.space.oriented(
        Size(width: container.width - plan.space.crossLength, height: .zero))
      return everything
    }
    if container.height == plan.space.container.height { return InvalidationContext() }
    guard plan.effects.isEmpty else { return everything }
    var context = InvalidationContext()
    let keys: [String]
    switch plan.sectionsOfContainerLength {
    case .anyOthers: return everything
    case .only(let some): keys = some
    case .styled:
      keys = []
      _ = try query { state in
        var walk = SectionWalk(self, in: state.session)
        while let section = try walk.advance() {
          guard section.plan.dependsOnContainerLength, section.hasRuledElements else { continue }
          context.invalidate(invalidation(of: section))
        }
      }
    }
    _ = try query { state in
      for key in keys {
        guard let index = try trees.sectionIndex(ofKey: key, in: state.session),
          let section = try section(index, in: state.session), section.hasRuledElements
        else { continue }
        context.invalidate(invalidation(of: section))
      }
    }
    if !context.isEmpty { context.nameEnd(of: plan.frame) }
    return context
  }

  /// Returns the invalidation of all of a section's elements that depend on its items' positions.
  private func invalidation(of section: PlacedSection) -> SectionInvalidation {
    let start = section.frame.contentStart
    var invalidation = SectionInvalidation(
      section: section.index, items: RangeSet(0..<section.itemCount),
      interval: start..<(start + section.frame.contentLength), start: section.start)
    invalidation.supplementaryElements = section.plan.boundary.kinds(at: .bottom)
    if let background = section.plan.background {
      invalidation.decorationElements = [background.kind]
    }
    invalidation.name(section.plan.own?.kinds ?? [])
    return invalidation
  }
}

extension PlacedSection {
  /// Whether the section has items, or elements of rules, which it may have without items.
  fileprivate var hasRuledElements: Bool { itemCount > 0 || plan.own?.rules.isEmpty == false }
}
