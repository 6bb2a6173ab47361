package import LayoutGeometry

/// Where a section's parts lie along the main axis, in canonical space, from the
/// section's own start: header, leading inset, content, trailing inset, footer.
package struct SectionFrame: Sendable {
  /// The lengths of the parts but the content.
  package var plan: SectionPlan
  /// The length of the items' content; 0 with no items.
  package var contentLength: Length

  /// Creates the frame of a section with a content.
  @inlinable
  package init(plan: SectionPlan, contentLength: Length) {
    self.plan = plan
    self.contentLength = contentLength
  }

  /// The section's whole length.
  @inlinable
  package var length: Length { plan.fixedLength + contentLength }

  /// Where the items' content begins.
  @inlinable
  package var contentStart: Length { plan.header + plan.inset.top }

  /// Where the footer begins.
  @inlinable
  package var footerStart: Length { length - plan.footer }

  /// The background's rectangle: the insets and the content, across the
  /// container, less its own inset. `nil` without a background.
  @inlinable
  package func background(crossLength: Length) -> Rect? {
    guard let background = plan.background else { return nil }
    let behind = Rect(
      x: .zero, y: plan.header, width: crossLength,
      height: footerStart - plan.header)
    return behind.inset(by: background.inset)
  }

  /// Where the header begins: at 0, or pinned to the visible start as far as the
  /// section reaches, which is never less than the header.
  ///
  /// - Parameter visibleStart: The start of the visible bounds along the main
  ///   axis, from the section's start.
  @inlinable
  package func headerStart(visibleStart: Length) -> Length {
    guard plan.pinsHeader else { return .zero }
    return min(max(.zero, visibleStart), footerStart - plan.header)
  }

  /// Where the footer begins: at its place, or pinned to the visible end as far
  /// as the section reaches.
  ///
  /// - Parameter visibleEnd: The end of the visible bounds along the main axis,
  ///   from the section's start.
  @inlinable
  package func footerStart(visibleEnd: Length) -> Length {
    guard plan.pinsFooter else { return footerStart }
    return max(min(footerStart, visibleEnd - plan.footer), plan.header)
  }
}
