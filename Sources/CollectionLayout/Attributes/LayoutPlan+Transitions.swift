package import LayoutGeometry

extension LayoutPlan {
  /// Returns the initial attributes of an element that a change has inserted: those of its
  /// section's `appearance` or kind, else its final ones with alpha 0.
  ///
  /// - Parameters:
  ///   - element: The element's attributes after the change, in the layout's content.
  ///   - style: The style of the element's section, if any.
  ///   - mainLength: The content's length along the main axis.
  package func initialAttributes(
    forAppearing element: LayoutAttributes, style: String?, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, style, mainLength, isAppearing: true)
  }

  /// Returns the final attributes of an element that a change has deleted: those of its
  /// section's `appearance` or kind, else its former ones with alpha 0.
  ///
  /// - Parameters:
  ///   - element: The element's attributes before the change, in the layout's content.
  ///   - style: The style of the element's section, if any.
  ///   - mainLength: The content's length along the main axis.
  package func finalAttributes(
    forDisappearing element: LayoutAttributes, style: String?, mainLength: Length
  ) -> LayoutAttributes {
    ruled(element, style, mainLength, isAppearing: false)
  }

  private func ruled(
    _ element: LayoutAttributes, _ style: String?, _ mainLength: Length, isAppearing: Bool
  ) -> LayoutAttributes {
    if element.indexPath.isOfLayout { return element.faded }
    let section = section(element.sectionKey, style: style)
    var seen = element
    seen.untransformedFrame = space.canonical(seen.untransformedFrame, mainLength: mainLength)
    var changed = seen
    switch (section.appearance, section.kind) {
    case (.slide?, _): changed.untransformedFrame.origin.x -= space.crossLength
    case (.scale?, _): changed.transform = Transform(scale: 0)
    case (.custom(let rule)?, _):
      changed =
        isAppearing
        ? rule.initialAttributes(forAppearing: seen) : rule.finalAttributes(forDisappearing: seen)
    case (nil, .custom(let plan)):
      changed =
        isAppearing
        ? plan.layout.initialAttributes(forAppearing: seen)
        : plan.layout.finalAttributes(forDisappearing: seen)
    default: return element.faded
    }
    changed.untransformedFrame = space.content(changed.untransformedFrame, mainLength: mainLength)
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
