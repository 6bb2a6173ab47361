/// The handling of an existing dataset by an import.
@nonexhaustive
public enum ImportMode: Hashable, Sendable {
  /// Fails if the dataset exists.
  case create
  /// Appends the items to their sections, and new sections to the dataset, which must exist.
  case append
  /// Replaces the dataset's contents with the items; its layouts stay.
  case replace
  /// Makes the dataset equal to the given items and sections, as
  /// ``BatchOperation/match(_:missing:)`` does: unchanged items keep their measured lengths,
  /// and marks stay. A difference of at most 16 MiB in the log is committed as one revision of
  /// ordinary changes, a larger one as an import. Keys are
  /// unique, unless duplicates are skipped. A missing dataset is created.
  case match
}

/// The handling of a row whose key already exists, in the dataset or in an earlier row.
public enum DuplicateRows: String, Hashable, Sendable, CaseIterable {
  /// Rejects the import.
  case fail
  /// Skips the row.
  case skip
  /// Updates the existing item's size, and its span and data if stated; its position stays.
  case update
}

/// The result of an import.
public struct ImportSummary: Hashable, Sendable {
  /// The number of added items.
  public var importedCount: Int
  /// The number of items in the dataset now.
  public var itemCount: Int
  /// The number of sections in the dataset now.
  public var sectionCount: Int
  /// The dataset's revision.
  public var revision: Int
  /// The number of rows with an existing key, which were skipped or have updated items.
  public var duplicateCount = 0
  /// The first duplicates, each with its line if known.
  public var duplicates: [DuplicateKey] = []
  /// The changes to existing items, for a match committed as one batch; `nil` for other
  /// imports, and for a difference too large for a batch.
  public var matched: MatchedItems?
}

/// The counts of existing items that a match has changed.
public struct MatchedItems: Hashable, Sendable {
  /// The number of deleted items.
  public var deletedCount = 0
  /// The number of items moved, within their section or to another one.
  public var movedCount = 0
  /// The number of items with a new size, span or data; some may have been moved too.
  public var changedCount = 0
}
