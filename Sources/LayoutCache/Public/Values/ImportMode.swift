/// How an import treats an existing dataset of the name.
@nonexhaustive
public enum ImportMode: Hashable, Sendable {
  /// Refuses to start where the dataset exists.
  case create
  /// Adds the items after those of their sections, and new sections after the
  /// others.
  case append
  /// Puts the items in place of all that the dataset holds; its layouts stay.
  case replace
  /// Makes the dataset equal to the items and sections that are given, as
  /// ``BatchOperation/match(_:missing:)`` does: items that do not change keep their measured
  /// lengths, and marks stay. A difference of at most 16 MiB in the log is one revision of ordinary
  /// changes, a larger one an import. Each key may be given once. A dataset of the name is made
  /// where there is none.
  case match
}

/// How an import treats a row whose key exists already, in the dataset or in an
/// earlier row.
public enum DuplicateRows: String, Hashable, Sendable, CaseIterable {
  /// Refuses all rows.
  case fail
  /// Leaves it out.
  case skip
  /// Gives the item, where it stands, the size, and the span and data that are stated.
  case update
}

/// The result of an import.
public struct ImportSummary: Hashable, Sendable {
  /// The items that were added.
  public var importedCount: Int
  /// The items that the dataset holds now.
  public var itemCount: Int
  /// The sections that the dataset holds now.
  public var sectionCount: Int
  /// The dataset's revision.
  public var revision: Int
  /// The rows whose key was there already, which were left out or have updated items.
  public var duplicateCount = 0
  /// The first of them, each with its line where that is known.
  public var duplicates: [DuplicateKey] = []
  /// The changes to items that the dataset had, where it was matched by one batch; `nil` for other
  /// imports, and for a difference that was too large for a batch.
  public var matched: MatchedItems?
}

/// The changes to items that a match found in the dataset.
public struct MatchedItems: Hashable, Sendable {
  /// The items that were deleted.
  public var deletedCount = 0
  /// The items that were moved, within their section or to another one.
  public var movedCount = 0
  /// The items that got another size, span or data; some of them may have been moved too.
  public var changedCount = 0
}
