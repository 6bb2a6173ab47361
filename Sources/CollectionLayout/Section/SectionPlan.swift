public import LayoutGeometry

/// A section's configuration, complete, checked, and in canonical axes.
public struct SectionPlan: Hashable, Sendable {
  /// The algorithm that places the items, with its own metrics.
  public enum Kind: Hashable, Sendable {
    case waterfall(WaterfallPlan)
  }

  public var kind: Kind
  /// The insets of the items: top and bottom along the main axis.
  public var inset: EdgeInsets
  /// The header's length along the main axis; 0 for none.
  public var header: Length
  /// The footer's length along the main axis; 0 for none.
  public var footer: Length
  public var pinsHeader: Bool
  public var pinsFooter: Bool
  /// The background, its inset in canonical axes.
  public var background: SectionOptions.Background?

  /// The section's length with no content.
  @inlinable
  public var fixedLength: Length { header + inset.top + inset.bottom + footer }
}
