package import LayoutGeometry

extension LayoutPlan {
  /// Where an element comes from that a change has brought: what its section's kind says,
  /// else where it will be, with alpha 0.
  ///
  /// - Parameters:
  ///   - element: As it will be shown, in the layout's content.
  ///   - mainLength: The content's length along the main axis.
  package func initialAttributes(
    forAppearing element: LayoutAttributes, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, mainLength) { $0.initialAttributes(forAppearing: $1) }
  }

  /// Where an element goes that a change has taken away: what its section's kind says, else
  /// nowhere, with alpha 0.
  ///
  /// - Parameters:
  ///   - element: As it was shown, in the layout's content.
  ///   - mainLength: The content's length along the main axis.
  package func finalAttributes(
    forDisappearing element: LayoutAttributes, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, mainLength) { $0.finalAttributes(forDisappearing: $1) }
  }

  private func ruled(
    _ element: LayoutAttributes, _ mainLength: Length,
    by rule: (any SectionLayout, LayoutAttributes) -> LayoutAttributes
  ) -> LayoutAttributes {
    guard case .custom(let plan) = section(element.sectionKey).kind else { return element.faded }
    var seen = element
    seen.untransformedFrame = space.canonical(seen.untransformedFrame, mainLength: mainLength)
    var changed = rule(plan.layout, seen)
    changed.untransformedFrame = space.content(
      changed.untransformedFrame, mainLength: mainLength)
    (changed.category, changed.column) = (element.category, element.column)
    (changed.indexPath, changed.sectionKey) = (element.indexPath, element.sectionKey)
    return changed
  }
}

extension LayoutAttributes {
  /// The element where it is, not to be seen.
  var faded: LayoutAttributes {
    var faded = self
    faded.alpha = 0
    return faded
  }
}
