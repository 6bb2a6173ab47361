package import LayoutGeometry

extension LayoutPlan {
  /// Returns the initial attributes of an element that a change has inserted: those of its
  /// section's kind, else its final ones with alpha 0.
  ///
  /// - Parameters:
  ///   - element: The element's attributes after the change, in the layout's content.
  ///   - style: The style of the element's section, if any.
  ///   - mainLength: The content's length along the main axis.
  package func initialAttributes(
    forAppearing element: LayoutAttributes, style: String?, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, style, mainLength) { $0.initialAttributes(forAppearing: $1) }
  }

  /// Returns the final attributes of an element that a change has deleted: those of its
  /// section's kind, else its former ones with alpha 0.
  ///
  /// - Parameters:
  ///   - element: The element's attributes before the change, in the layout's content.
  ///   - style: The style of the element's section, if any.
  ///   - mainLength: The content's length along the main axis.
  package func finalAttributes(
    forDisappearing element: LayoutAttributes, style: String?, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, style, mainLength) { $0.finalAttributes(forDisappearing: $1) }
  }

  private func ruled(
    _ element: LayoutAttributes, _ style: String?, _ mainLength: Length,
    by rule: (any SectionLayout, LayoutAttributes) -> LayoutAttributes
  ) -> LayoutAttributes {
    guard case .custom(let plan) = section(element.sectionKey, style: style).kind else {
      return element.faded
    }
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
  /// The element at its position, with alpha 0.
  var faded: LayoutAttributes {
    var faded = self
    faded.alpha = 0
    return faded
  }
}
