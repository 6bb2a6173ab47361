public import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Whether a container of another size changes the layout.
  ///
  /// Source: `shouldInvalidateLayout(forBoundsChange:)` of UICollectionViewLayout. Unlike
  /// there, scrolling is not a bounds change: it does not affect the layout, and queries take
  /// the visible rectangle as a parameter.
  ///
  /// - Parameter size: The container's new size.
  /// - Complexity: As ``invalidationContext(forBoundsChange:)``.
  public func shouldInvalidateLayout(forBoundsChange size: Size) throws -> Bool {
    try !invalidationContext(forBoundsChange: size).isEmpty
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
    guard plan.effect == nil else { return everything }
    var context = InvalidationContext()
    let keys: [String]
    switch plan.sectionsOfContainerLength {
    case .anyOthers: return everything
    case .only(let some): keys = some
    case .styled:
      _ = try query { state in
        var walk = SectionWalk(self, in: state.session)
        while let section = try walk.advance() {
          guard section.plan.kind.dependsOnContainerLength, section.itemCount > 0 else { continue }
          context.invalidate(invalidation(of: section))
        }
      }
      return context
    }
    _ = try query { state in
      for key in keys {
        guard let index = try trees.sectionIndex(ofKey: key, in: state.session),
          let section = try section(index, in: state.session), section.itemCount > 0
        else { continue }
        context.invalidate(invalidation(of: section))
      }
    }
    return context
  }

  /// Returns the invalidation of all of a section's elements that depend on its items'
  /// positions.
  private func invalidation(of section: PlacedSection) -> SectionInvalidation {
    let start = section.frame.contentStart
    var invalidation = SectionInvalidation(
      section: section.index, items: RangeSet(0..<section.itemCount),
      interval: start..<(start + section.frame.contentLength), start: section.start)
    if section.plan.footer > .zero { invalidation.supplementaryElements = [.footer] }
    if let background = section.plan.background {
      invalidation.decorationElements = [background.kind]
    }
    return invalidation
  }
}
