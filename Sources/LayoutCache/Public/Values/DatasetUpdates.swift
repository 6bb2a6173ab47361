public import CollectionLayout

/// The changes of a dataset's sections and items, for a client that keeps them in
/// lists: what `performBatchUpdates`, `DiffUtil` or a keyed list need.
///
/// Places *before* are those in the lists as they were, places *after* those in the lists
/// as they are. A client first takes out what goes and what moves, from the last place
/// before to the first, and then puts in what comes and what moves, from the first place
/// after to the last; sections before items, on both ways. What has only shifted because
/// others came or went is not named. Of a section that came or went as a whole only those
/// items are named that came from another or went to another; so a client that meets a new
/// section asks for its items.
///
/// Source: UICollectionViewUpdateItem of UIKit, and the order in which
/// `performBatchUpdates` works.
public struct DatasetUpdates: Hashable, Sendable {
  /// A section that came, went, or stands elsewhere among the others.
  public struct Section: Hashable, Sendable {
    public var key: String
    /// `nil` for one that came.
    public var before: Int?
    /// `nil` for one that went.
    public var after: Int?

    /// Creates what happened to a section.
    ///
    /// - Precondition: It was there before, or is after, or both.
    public init(key: String, before: Int?, after: Int?) {
      self.key = key
      self.before = before
      self.after = after
    }

    /// Whether it came, went or moved.
    public var operation: Operation {
      before == nil ? .insert : after == nil ? .delete : .move
    }
  }

  /// A change of a section or an item.
  public enum Operation: String, Hashable, Sendable, Codable {
    /// It is new.
    case insert
    /// It is gone.
    case delete
    /// It stands elsewhere: in another section, or elsewhere among the items that stayed.
    case move
    /// It has another size, span or other data, or was taken out and another one put in
    /// with its key. It may be named as moved too. No section is.
    case reload
  }

  /// One thing that happened to an item.
  public struct Item: Hashable, Sendable {
    public var operation: Operation
    public var key: String
    /// Where it was, of one that went or moved.
    public var before: LayoutAttributes.IndexPath?
    /// Where it is, of one that is there.
    public var after: LayoutAttributes.IndexPath?

    /// Creates what happened to an item.
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

  /// Whether nothing is known but that something has changed: as after an import, or where
  /// the log does not hold what went. There are then no ``sections`` and ``items``.
  public var everything = false
  /// First those that went, from the last to the first; then those that came or moved, in
  /// order.
  public var sections: [Section] = []
  /// First those that went, from the last to the first; then those that came or moved, in
  /// order; then those to be reloaded, in order.
  public var items: [Item] = []

  /// Creates the updates of no change.
  public init() {}

  /// The updates of changes that are not known one by one.
  static var everything: DatasetUpdates {
    var updates = DatasetUpdates()
    updates.everything = true
    return updates
  }

  /// Whether nothing has changed.
  public var isEmpty: Bool { !everything && sections.isEmpty && items.isEmpty }
}
