package import LayoutGeometry

/// The positions of a section's parts along the main axis, in canonical space, from the
/// section's start: the elements before the content, leading inset, content, trailing inset, the
/// elements after it.
package struct SectionFrame: Sendable {
  /// The lengths of all parts except the content.
  package var plan: SectionPlan
  /// The length of the items' content; 0 without items.
  package var contentLength: Length

  /// Creates the frame of a section with content.
  @inlinable
  package init(plan: SectionPlan, contentLength: Length) {
    self.plan = plan
    self.contentLength = contentLength
  }

  /// The section's whole length.
  @inlinable
  package var length: Length { plan.fixedLength + contentLength }

  /// The start of the items' content.
  @inlinable
  package var contentStart: Length { plan.boundary.topLength + plan.inset.top }

  /// The start of the elements after the content.
  @inlinable
  package var bottomStart: Length { length - plan.boundary.bottomLength }

  /// Returns the background's rectangle: the insets and the content, across the container, less
  /// the background's inset. `nil` without a background.
  @inlinable
  package func background(crossLength: Length) -> Rect? {
    guard plan.background != nil else { return nil }
    let behind = Rect(
      x: .zero, y: plan.boundary.topLength, width: crossLength,
      height: bottomStart - plan.boundary.topLength)
    return behind.inset(by: plan.backgroundInset)
  }
}
