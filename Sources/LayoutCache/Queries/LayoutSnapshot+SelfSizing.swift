public import CollectionLayout
import LayoutGeometry

extension LayoutSnapshot {
  /// Whether a measured size of an element would change the layout.
  ///
  /// A measured length is effective along the main axis: for an item if its section takes
  /// preferred lengths, and for a header or footer, of a section or of the layout. In a flow of
  /// individually sized items the cross length is effective too. ``preference(_:original:)``
  /// returns the operation that stores it; its commit returns the resulting context.
  ///
  /// Source: `shouldInvalidateLayout(forPreferredLayoutAttributes:withOriginalAttributes:)` of
  /// UIKit.
  ///
  /// - Parameters:
  ///   - preferred: The element's attributes with the measured frame size; the frame's origin
  ///     is ignored.
  ///   - original: The attributes that this snapshot returned for it.
  /// - Complexity: O(1), and reads nothing; O(log sections) nodes if the configuration has styles.
  ///   A section that cannot be read counts as one without a style: the commit that stores the
  ///   size reports the failure.
  public func shouldInvalidate(
    preferred: LayoutAttributes, original: LayoutAttributes
  ) -> Bool {
    preference(preferred, original: original) != nil
  }

  /// Returns the operation that stores a measured size; `nil` if it would change nothing.
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
      let style = try? style(ofSection: original.indexPath.section)
      let kind = plan.section(original.sectionKey, style: style).kind
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

  /// Returns the changes that a client's measurements would cause, without storing them: the
  /// context of a commit of their ``preferences(from:)``, its offset adjustment zero.
  ///
  /// Source: `invalidationContext(forPreferredLayoutAttributes:withOriginalAttributes:)` of
  /// UICollectionViewLayout.
  ///
  /// - Parameter measured: As for ``preferences(from:)``.
  /// - Returns: The context; empty if nothing would change.
  /// - Throws: ``LayoutCacheError``: `limit` for a measured size out of range, `cannotLayOut` if
  ///   the content would be too long; otherwise as ``preferences(from:)``.
  /// - Complexity: As ``preferences(from:)``, and the work of following the measurements.
  public func invalidationContext(
    forPreferred measured: [LayoutAttributes]
  ) throws -> InvalidationContext {
    let operations = try preferences(from: measured)
    var work = QueryWork.none
    return try provisional(operations, work: &work).context
  }

  /// Returns the operations that store a client's measurements, for example of all elements on
  /// a screen: one for all items, and one for each header and footer. Send them in one batch,
  /// because each batch is a revision.
  ///
  ///     let operations = try snapshot.preferences(from: measured)
  ///     if !operations.isEmpty { try cache.update("feed", with: operations) }
  ///
  /// - Parameter measured: Attributes of this snapshot with measured frame sizes, in any order; the
  ///   frames' origins are ignored. Of several entries for one element the last one applies.
  /// - Returns: The operations; empty if nothing would change. Elements that are not in the
  ///   snapshot, and those that take no measured length, are ignored.
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
        // A later measurement may equal the current size although an earlier one differs.
        if let old = numbers.removeValue(forKey: ExactKey(key)) { lengths[old].length = nil }
        guard
          case .prefer(_, _, let length, let across)? = preference(preferred, original: original)
        else { continue }
        numbers[ExactKey(key)] = lengths.count
        lengths.append(MeasuredLength(key: key, length: length, crossLength: across))
      case .supplementary(let kind):
        let path = preferred.indexPath
        guard path.isOfLayout || kind == .header || kind == .footer,
          let original = try attributes(
            forSupplementary: kind,
            at: path.isOfLayout ? .layout : LayoutAttributes.IndexPath(section: path.section))
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
