public import CollectionLayout

/// A batch that has been committed.
public struct Commit: Hashable, Sendable {
  /// A layout that the commit has brought up to date.
  public struct LayoutChange: Hashable, Sendable {
    public var layout: String
    public var context: InvalidationContext
  }

  /// The dataset's new revision.
  public var revision: Int
  /// The layouts that the commit has brought up to date, by name.
  public var layouts: [LayoutChange]
}

/// The layouts that a commit brings up to date. The others follow at their next
/// query.
@nonexhaustive
public enum UpdatedLayouts: Hashable, Sendable {
  /// Those that this cache has answered from.
  case inUse
  /// All that were up to date before the commit.
  case upToDate
  case none
}
