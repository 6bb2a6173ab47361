public import CollectionLayout
public import LayoutGeometry

extension LayoutSnapshot {
  /// Whether a container of another size makes the layout another one.
  ///
  /// Source: `shouldInvalidateLayout(forBoundsChange:)` of UICollectionViewLayout. Scrolling,
  /// of which that is told too, changes nothing that is laid out: queries take what is visible.
  ///
  /// - Parameter size: The container's new size.
  /// - Complexity: As ``invalidationContext(forBoundsChange:)``.
  public func shouldInvalidateLayout(forBoundsChange size: Size) throws -> Bool {
    try !invalidationContext(forBoundsChange: size).isEmpty
  }

  /// Returns the parts that a client must query again when the container, and the
  /// configuration with it, gets another size.
  ///
  /// Another length across the scrolling axis places everything again. Another one along it
  /// concerns circles, which are pages, and sections of custom kinds, which may read it; with
  /// an effect all cells, because that acts by what is visible. Places of rest by `page` are
  /// other ones then; no element is.
  ///
  /// Source: `invalidationContext(forBoundsChange:)` of UICollectionViewLayout.
  ///
  /// - Parameter size: The container's new size.
  /// - Returns: An empty context where nothing is to be looked at. What it does not say is how
  ///   long the content will be: that is known when it has been laid out.
  /// - Complexity: O(log sections) nodes for each section that the configuration names with
  ///   such a kind; else O(1).
  public func invalidationContext(forBoundsChange size: Size) throws -> InvalidationContext {
    let container = plan.space.oriented(size.bounded)
    var everything = InvalidationContext()
    everything.invalidateEverything = true
    if container.width != plan.space.crossLength {
      everything.contentSizeAdjustment = plan.space.oriented(
        Size(width: container.width - plan.space.crossLength, height: .zero))
      return everything
    }
    if container.height == plan.space.container.height { return InvalidationContext() }
    guard plan.effect == nil, case .only(let keys) = plan.sectionsOfContainerLength else {
      return everything
    }
    var context = InvalidationContext()
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

  /// All of a section that its items' places concern.
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
