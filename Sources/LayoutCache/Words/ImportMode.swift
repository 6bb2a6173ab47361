/// What an import does with a dataset of the name.
@nonexhaustive
public enum ImportMode: Hashable, Sendable {
  /// Refuses to start where the dataset exists.
  case create
  /// Adds the items behind those of their sections, and new sections behind the
  /// others.
  case append
  /// Puts the items in place of all that the dataset holds; its layouts stay.
  case replace
}

/// What an import has done.
public struct ImportSummary: Hashable, Sendable {
  /// The items that were added.
  public var importedCount: Int
  /// The items that the dataset holds now.
  public var itemCount: Int
  /// The sections that the dataset holds now.
  public var sectionCount: Int
  /// The dataset's revision.
  public var revision: Int
}
