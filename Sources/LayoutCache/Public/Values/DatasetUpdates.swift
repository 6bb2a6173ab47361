public import CollectionLayout

/// The changes of a dataset's sections and items, for a client that maintains them in lists
/// with `performBatchUpdates`, `DiffUtil` or a keyed list.
///
/// Positions *before* refer to the lists before the change, positions *after* to the lists after
/// it. A client first removes deleted and moved entries, from the last position before to the
/// first, and then inserts new and moved ones, from the first position after to the last;
/// sections before items, in both steps. Entries that only shifted because of other entries are
/// not listed. Items of an inserted or deleted section are listed only if they changed sections;
/// a client queries the items of a new section.
///
/// Source: UICollectionViewUpdateItem of UIKit, and the order of operations in
/// `performBatchUpdates`.
public struct DatasetUpdates: Hashable, Sendable {
  /// An inserted, deleted or moved section, or one with a new style.
  public struct Section: Hashable, Sendable {
    public var key: String
    /// The position before; `nil` for an inserted or reloaded section.
    public var before: Int?
    /// The position after; `nil` for a deleted section.
    public var after: Int?
    /// Whether the section's style changed. A section that also moved has two entries.
    public var isReload = false

    /// Creates a section's change.
    ///
    /// - Precondition: At least one position is not `nil`.
    public init(key: String, before: Int?, after: Int?) {
      self.key = key
      self.before = before
      self.after = after
    }

    /// Creates the change of a section whose style changed.
    public init(reloading key: String, at after: Int) {
      self.init(key: key, before: nil, after: after)
      isReload = true
    }

    /// The kind of change.
    public var operation: Operation {
      isReload ? .reload : before == nil ? .insert : after == nil ? .delete : .move
    }
  }

  /// A change of a section or an item.
  public enum Operation: String, Hashable, Sendable, Codable {
    /// An insertion.
    case insert
    /// A deletion.
    case delete
    /// A move to another section, or relative to the other entries that stayed.
    case move
    /// A change of size, span or data, or the replacement of an item by another one with the
    /// same key; of a section, a change of its style. A reloaded item or section may be listed
    /// as moved too.
    case reload
  }

  /// A change of an item.
  public struct Item: Hashable, Sendable {
    public var operation: Operation
    public var key: String
    /// The position before, for a deletion or move.
    public var before: LayoutAttributes.IndexPath?
    /// The position after, if the item exists.
    public var after: LayoutAttributes.IndexPath?

    /// Creates an item's change.
    public init(
      operation: Operation, key: String, before: LayoutAttributes.IndexPath?,
      after: LayoutAttributes.IndexPath?
    ) {
      self.operation = operation
      self.key = key
      self.before = before
      self.after = after
    }
  }

  /// The reason why the individual changes are unknown: ``sections`` and ``items`` are then empty;
  /// `nil` if they are known.
  public var reason: InvalidationReason?
  /// Deletions, from the last to the first; then insertions and moves, in order; then reloads, in
  /// order.
  public var sections: [Section] = []
  /// Deletions, from the last to the first; then insertions and moves, in order; then reloads,
  /// in order.
  public var items: [Item] = []

  /// Creates empty updates.
  public init() {}

  /// Returns updates whose individual changes are unknown.
  package static func everything(_ reason: InvalidationReason) -> DatasetUpdates {
    var updates = DatasetUpdates()
    updates.reason = reason
    return updates
  }

  /// Whether the individual changes are unknown.
  public var everything: Bool { reason != nil }

  /// Whether there are no changes.
  public var isEmpty: Bool { !everything && sections.isEmpty && items.isEmpty }
}
