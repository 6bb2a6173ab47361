package import LayoutGeometry

/// The positions of a section's parts along the main axis, in canonical space, from the
/// section's start: header, leading inset, content, trailing inset, footer.
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
  package var contentStart: Length { plan.header + plan.inset.top }

  /// The start of the footer.
  @inlinable
  package var footerStart: Length { length - plan.footer }

  /// Returns the background's rectangle: the insets and the content, across the container, less
  /// the background's inset. `nil` without a background.
  @inlinable
  package func background(crossLength: Length) -> Rect? {
    guard plan.background != nil else { return nil }
    let behind = Rect(
      x: .zero, y: plan.header, width: crossLength,
      height: footerStart - plan.header)
    return behind.inset(by: plan.backgroundInset)
  }
}
