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

  /// The operations that store what a client has measured, such as all elements of a screen:
  /// one for all items, and one for each header and footer. Send them in one batch, because
  /// each batch is a revision.
  ///
  ///     let operations = try snapshot.preferences(from: measured)
  ///     if !operations.isEmpty { try cache.update("feed", with: operations) }
  ///
  /// - Parameter measured: Attributes of this snapshot with each frame's size as measured, in
  ///   any order; the frame's origin does not matter. Of several of one element the last one
  ///   counts.
  /// - Returns: Empty where nothing would change. Elements that the snapshot doesn't have, and
  ///   those that take no measured length, are left out.
  /// - Throws: ``LayoutCacheError`` with `database`.
  /// - Complexity: O(log n) for each element.
  public func preferences(from measured: [LayoutAttributes]) throws -> [BatchOperation] {
    var lengths: [MeasuredLength] = []
    var numbers: [ExactKey: Int] = [:]
    var others: [BatchOperation] = []
    for preferred in measured {
      switch preferred.category {
      case .cell(let key):
        guard let original = try attributes(forKey: key) else { continue }
        // A later measurement may equal the present size, after one that does not.
        if let old = numbers.removeValue(forKey: ExactKey(key)) { lengths[old].length = nil }
        guard
          case .prefer(_, _, let length, let across)? = preference(preferred, original: original)
        else { continue }
        numbers[ExactKey(key)] = lengths.count
        lengths.append(MeasuredLength(key: key, length: length, crossLength: across))
      case .supplementary(let kind):
        guard kind == .header || kind == .footer,
          let original = try attributes(
            forSupplementary: kind, inSection: preferred.indexPath.section)
        else { continue }
        others.removeAll {
          guard case .preferSupplementary(_, kind, let key, _) = $0 else { return false }
          return ExactKey(key) == ExactKey(original.sectionKey)
        }
        if let operation = preference(preferred, original: original) { others.append(operation) }
      case .decoration: continue
      }
    }
    lengths.removeAll { $0.length == nil }
    if lengths.isEmpty { return others }
    return [.preferLengths(layout: layout.layout, lengths)] + others
  }
}
