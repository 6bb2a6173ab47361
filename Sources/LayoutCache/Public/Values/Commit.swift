public import CollectionLayout
import LayoutStore

/// A batch that has been committed.
///
/// Its JSON is what `layoutcache update --json` prints.
public struct Commit: Hashable, Sendable, Codable {
  /// A layout that the commit has brought up to date.
  public struct LayoutChange: Hashable, Sendable {
    /// The layout's name.
    public var layout: String
    /// The name of its result's history: another one after it was laid out again.
    public var incarnation: Incarnation
    /// The changes of the layout.
    public var context: InvalidationContext

    /// Creates what a batch did to a layout.
    public init(layout: String, incarnation: Incarnation, context: InvalidationContext) {
      self.layout = layout
      self.incarnation = incarnation
      self.context = context
    }
  }

  /// A layout that the commit should have brought up to date and could not. Queries of it
  /// give the same error, and each ``LayoutCache/prepare(_:)`` tries again.
  public struct LayoutBehind: Hashable, Sendable, Codable {
    /// The layout's name.
    public var layout: String
    /// The kind of error: the name of a `LayoutCacheError.Code`.
    public var code: String
    /// The error, in one sentence.
    public var reason: String

    /// Creates what hinders a layout.
    public init(layout: String, code: String, reason: String) {
      self.layout = layout
      self.code = code
      self.reason = reason
    }
  }

  /// The dataset's name.
  public var dataset: String
  /// The dataset's new revision.
  public var revision: Int
  /// The name of the dataset's history: another one after it was removed and made again.
  public var incarnation: Incarnation
  /// Whether nothing was done, because the batch's mark says that it was carried out before:
  /// by the commit of that ``revision``. What that did is not said again.
  public var isRepeated: Bool
  /// The changes of sections and items, for a client that keeps them in lists.
  public var updates: DatasetUpdates
  /// The layouts that the commit has brought up to date, by name. A batch that only measures or
  /// invalidates parts of one layout lists that one, and those that the caller has named.
  public var layouts: [LayoutChange]
  /// The layouts that it should have and could not, by name.
  public var behind: [LayoutBehind]

  /// Its entry in a log that nodes share; `nil` without one, or where it makes none.
  package var sequence: Int?

  /// Creates a commit.
  public init(
    dataset: String, revision: Int, incarnation: Incarnation, isRepeated: Bool = false,
    updates: DatasetUpdates = DatasetUpdates(), layouts: [LayoutChange] = [],
    behind: [LayoutBehind] = []
  ) {
    self.dataset = dataset
    self.revision = revision
    self.incarnation = incarnation
    self.isRepeated = isRepeated
    self.updates = updates
    self.layouts = layouts
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

  /// Whether it says what became of a layout.
  func mentions(_ layout: String) -> Bool {
    layouts[layout] != nil || behind.contains { $0.layout.utf8.elementsEqual(layout.utf8) }
  }

  mutating func add(_ change: LayoutChange) {
    layouts.append(change)
    layouts.sort { $0.layout < $1.layout }
  }

  mutating func add(_ layout: LayoutBehind) {
    behind.append(layout)
    behind.sort { $0.layout < $1.layout }
  }
}

extension Commit {
  private enum CodingKeys: String, CodingKey {
    case dataset, revision, incarnation, repeated, updates, layouts, behind
  }

  /// Decodes what `layoutcache update --json` prints.
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
      behind: try values.decodeIfPresent([LayoutBehind].self, forKey: .behind) ?? [])
  }

  /// Encodes what `layoutcache update --json` prints; `behind` only where there are any,
  /// `repeated` in place of `updates` where that is true.
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
  }

  /// Adds what a later commit to the same dataset did, which carried a rebalance on and left
  /// its items alone.
  package mutating func append(_ next: Commit) {
    assert(next.updates.isEmpty, "updates of several commits are composed from the log")
    revision = next.revision
    for change in next.layouts {
      if let index = layouts.firstIndex(where: { $0.layout.utf8.elementsEqual(change.layout.utf8) })
      {
        layouts[index].context.formCombination(with: change.context)
      } else {
        layouts.append(change)
      }
    }
    layouts.sort { $0.layout < $1.layout }
  }
}

// The members of a layout's context stand next to its name.
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
  /// "revision 7 of dataset 'tate'; phone: 1 section", with what each layout must look at.
  public var description: String {
    let changes =
      layouts.map { "\($0.layout): \($0.context)" }
      + behind.map { "\($0.layout) stays behind: \($0.reason)" }
    return (["revision \(revision) of dataset '\(dataset)'"] + changes).joined(separator: "; ")
  }
}

extension [Commit.LayoutChange] {
  /// The change of the layout with a name; `nil` where it is not among them.
  ///
  ///     let context = commit.layouts["phone"]?.context
  public subscript(name: String) -> Commit.LayoutChange? {
    first { $0.layout.utf8.elementsEqual(name.utf8) }
  }
}

/// The layouts that a commit brings up to date. The others follow at their next
/// query.
@nonexhaustive
public enum UpdatedLayouts: Hashable, Sendable {
  /// Those that this cache has answered from.
  case inUse
  /// Those that this cache has answered from, and those with the names. A named one that has
  /// not been laid out is, before the commit; the commit lists each of them, or says in
  /// ``Commit/behind`` why it could not be brought up to date.
  case named([String])
  /// All that were up to date before the commit.
  case upToDate
  case none
}
