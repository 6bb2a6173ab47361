public import CollectionLayout
import LayoutGeometry
import LayoutStore

/// A batch that has been committed.
///
/// Its JSON is the output of `layoutcache update --json`.
public struct Commit: Hashable, Sendable, Codable {
  /// A layout that the commit has brought up to date.
  public struct LayoutChange: Hashable, Sendable {
    /// The layout's name.
    public var layout: String
    /// The incarnation of the layout's result; a new one after it was laid out again.
    public var incarnation: Incarnation
    /// The changes of the layout.
    public var context: InvalidationContext

    /// Creates a layout's change.
    public init(layout: String, incarnation: Incarnation, context: InvalidationContext) {
      self.layout = layout
      self.incarnation = incarnation
      self.context = context
    }
  }

  /// A layout that the commit failed to bring up to date. Its queries fail with the same error,
  /// and each ``LayoutCache/prepare(_:)`` tries again; with the code `preparing` it follows at its
  /// next use.
  public struct LaggingLayout: Hashable, Sendable, Codable {
    /// The layout's name.
    public var layout: String
    /// The kind of error: the name of a `LayoutCacheError.Code`.
    public var code: String
    /// The error, in one sentence.
    public var reason: String

    /// Creates the description of a layout's error.
    public init(layout: String, code: String, reason: String) {
      self.layout = layout
      self.code = code
      self.reason = reason
    }
  }

  /// The commits that an undo has reverted.
  public struct Undone: Hashable, Sendable, Codable {
    private enum CodingKeys: CodingKey { case first, last, summary }

    /// The first revision that was reverted.
    public var first: Int
    /// The last revision that was reverted.
    public var last: Int
    /// The reverted operations in words: "undid revision 4: resize of 1 item, move of 2 sections".
    public var summary: String
    /// Whether items of a stable waterfall in a listed layout were placed like new ones, because
    /// their previous columns are not known.
    public var placesColumns = false
  }

  /// The dataset's name.
  public var dataset: String
  /// The dataset's new revision.
  public var revision: Int
  /// The dataset's incarnation; a new one after the dataset was removed and created again.
  public var incarnation: Incarnation
  /// Whether nothing was done, because the batch's mark shows that the commit of ``revision`` had
  /// already applied it. The changes of that commit are not repeated here.
  public var isRepeated: Bool
  /// The changes of sections and items, for a client that maintains lists of them.
  public var updates: DatasetUpdates
  /// The layouts that the commit has brought up to date, sorted by name. A batch that only measures
  /// or invalidates parts of one layout lists that layout and those named by the caller.
  public var layouts: [LayoutChange]
  /// The layouts that the commit failed to bring up to date, sorted by name.
  public var behind: [LaggingLayout]
  /// The commits that an undo has reverted; `nil` for others, and on a node that did not decide.
  public var undone: Undone?

  /// The sequence number of the commit's entry in the shared log; `nil` without a shared log or
  /// an entry.
  package var sequence: Int?

  /// Creates a commit.
  public init(
    dataset: String, revision: Int, incarnation: Incarnation, isRepeated: Bool = false,
    updates: DatasetUpdates = DatasetUpdates(), layouts: [LayoutChange] = [],
    behind: [LaggingLayout] = []
  ) {
    (self.dataset, self.revision, self.incarnation) = (dataset, revision, incarnation)
    (self.isRepeated, self.updates, self.layouts) = (isRepeated, updates, layouts)
    self.behind = behind
  }

  /// Creates the result of a batch that an earlier revision has applied.
  init(repeating revision: Int, of row: DatasetRow) {
    self.init(
      dataset: row.name, revision: revision, incarnation: Incarnation(row.incarnation),
      isRepeated: true)
  }

  /// Creates the result of a batch without effect.
  init(changingNothingAt revision: Int, of row: DatasetRow) {
    self.init(
      dataset: row.name, revision: revision, incarnation: Incarnation(row.incarnation))
  }

  mutating func add(_ change: LayoutChange) {
    layouts.append(change)
    layouts.sort { $0.layout < $1.layout }
  }

  mutating func add(_ layout: LaggingLayout) {
    behind.append(layout)
    behind.sort { $0.layout < $1.layout }
  }
}

extension Commit {
  private enum CodingKeys: String, CodingKey {
    case dataset, revision, incarnation, repeated, updates, layouts, behind, undone, columns
  }

  /// Decodes the output of `layoutcache update --json`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let isRepeated = try values.decodeIfPresent(Bool.self, forKey: .repeated) ?? false
    self.init(
      dataset: try values.decode(String.self, forKey: .dataset),
      revision: try values.decode(Int.self, forKey: .revision),
      incarnation: try values.decode(Incarnation.self, forKey: .incarnation),
      isRepeated: isRepeated,
      updates: isRepeated
        ? DatasetUpdates() : try values.decode(DatasetUpdates.self, forKey: .updates),
      layouts: try values.decode([LayoutChange].self, forKey: .layouts),
      behind: try values.decodeIfPresent([LaggingLayout].self, forKey: .behind) ?? [])
    undone = try values.decodeIfPresent(Undone.self, forKey: .undone)
    undone?.placesColumns = try values.decodeIfPresent(String.self, forKey: .columns) == "placed"
  }

  /// Encodes the output of `layoutcache update --json`: `behind` only if not empty; `repeated`
  /// instead of `updates` for a repeated batch; `undone` and `columns` only for an undo.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(dataset, forKey: .dataset)
    try values.encode(revision, forKey: .revision)
    try values.encode(incarnation, forKey: .incarnation)
    if isRepeated {
      try values.encode(true, forKey: .repeated)
    } else {
      try values.encode(updates, forKey: .updates)
    }
    try values.encode(layouts, forKey: .layouts)
    if !behind.isEmpty { try values.encode(behind, forKey: .behind) }
    try values.encodeIfPresent(undone, forKey: .undone)
    if undone?.placesColumns == true { try values.encode("placed", forKey: .columns) }
  }

  /// Appends a later commit to the same dataset that continued a rebalance and did not change
  /// its lists.
  package mutating func append(_ next: Commit) {
    assert(next.updates.isEmpty, "updates of several commits are composed from the log")
    revision = next.revision
    for change in next.layouts {
      if let index = layouts.firstIndex(where: { $0.layout.isExactly(change.layout) }) {
        layouts[index].context.formCombination(with: change.context)
      } else {
        layouts.append(change)
      }
    }
    layouts.sort { $0.layout < $1.layout }
  }
}

// The members of a layout's context are encoded next to its name.
extension Commit.LayoutChange: Codable {
  private enum CodingKeys: String, CodingKey { case layout, incarnation }

  /// Decodes `layout`, `incarnation` and the members of an `InvalidationContext`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      layout: try values.decode(String.self, forKey: .layout),
      incarnation: try values.decode(Incarnation.self, forKey: .incarnation),
      context: try InvalidationContext(from: decoder))
  }

  /// Encodes `layout`, `incarnation` and the members of an `InvalidationContext`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(layout, forKey: .layout)
    try values.encode(incarnation, forKey: .incarnation)
    try context.encode(to: encoder)
  }
}

extension Commit: CustomStringConvertible {
  /// The revision and each layout's changes: "revision 7 of dataset 'tate'; phone: 1 section".
  public var description: String {
    let changes =
      layouts.map { "\($0.layout): \($0.context)" }
      + behind.map { "\($0.layout) not updated: \($0.reason)" }
    return (["revision \(revision) of dataset '\(dataset)'"] + changes).joined(separator: "; ")
  }
}

extension [Commit.LayoutChange] {
  /// Returns the change of a layout; `nil` if the layout is not listed.
  ///
  ///     let context = commit.layouts["phone"]?.context
  public subscript(name: String) -> Commit.LayoutChange? {
    first { $0.layout.isExactly(name) }
  }
}

/// The layouts that a commit brings up to date. Other layouts are updated by their next query.
@nonexhaustive
public enum UpdatedLayouts: Hashable, Sendable {
  /// The active layouts: those that this cache has answered queries from.
  case inUse
  /// The active layouts and the named ones. A named layout that has not been laid out is laid out
  /// before the commit. The commit lists each named layout, or its error in ``Commit/behind``.
  case named([String])
  /// All layouts that were up to date before the commit.
  case upToDate
  case none
}

/// An event for listeners of a dataset's commits.
@nonexhaustive
public enum CommitEvent: Hashable, Sendable {
  /// The next revision: one event for each, in order.
  case commit(Commit)
  /// A gap: commits were not delivered because the log does not contain them, the dataset was
  /// imported again, the listener was too slow, or the pending events of all listeners of the
  /// cache exceeded 64 MiB. The listener must query everything again, at this revision or a
  /// later one; later commits follow.
  case reset(revision: Int, incarnation: Incarnation)
  /// A layout, or a variant, was given another configuration; this makes no revision. The
  /// incarnation is that of the result of the new configuration, or empty until it is laid out.
  /// Events that wait may become one, and those of the past are not repeated.
  case layout(String, incarnation: Incarnation)
  /// The dataset was removed, renamed, or replaced by another one with the same name. No event
  /// follows.
  case gone
}
