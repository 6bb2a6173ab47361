public import CollectionLayout
import LayoutGeometry

extension LayoutSnapshot {
  /// Whether the layout would come out different if an element had the size that was measured
  /// for it.
  ///
  /// A measured length counts along the main axis, of an item where its section takes such,
  /// and of a header or footer; in a flow of items with sizes of their own one across counts
  /// too. ``preference(_:original:)`` is the operation that stores it, and the context that
  /// it leads to is its commit's.
  ///
  /// Source: `shouldInvalidateLayout(forPreferredLayoutAttributes:withOriginalAttributes:)` of
  /// UIKit.
  ///
  /// - Parameters:
  ///   - preferred: The element's attributes with its frame's size as measured; where it
  ///     stands does not matter.
  ///   - original: The attributes that this snapshot gave for it.
  /// - Complexity: O(1); reads nothing.
  public func shouldInvalidate(
    preferred: LayoutAttributes, original: LayoutAttributes
  ) -> Bool {
    preference(preferred, original: original) != nil
  }

  /// The operation that stores a measured size; `nil` where it would change nothing.
  ///
  /// Parameters and complexity are those of ``shouldInvalidate(preferred:original:)``.
  public func preference(
    _ preferred: LayoutAttributes, original: LayoutAttributes
  ) -> BatchOperation? {
    let size = plan.space.oriented(preferred.untransformedFrame.size)
    let old = plan.space.oriented(original.untransformedFrame.size)
    let isLonger = size.height != old.height
    switch original.category {
    case .cell(let key):
      let kind = plan.section(original.sectionKey).kind
      let isWider = kind.takesPreferredCrossLengths && size.width != old.width
      guard kind.takesPreferredLengths, isLonger || isWider else { return nil }
      return .prefer(
        layout: layout.layout, key: key, length: size.height,
        crossLength: kind.takesPreferredCrossLengths ? size.width : nil)
    case .supplementary(let kind):
      guard isLonger else { return nil }
      return .preferSupplementary(
        layout: layout.layout, kind: kind, section: original.sectionKey, length: size.height)
    case .decoration: return nil
    }
  }
}
