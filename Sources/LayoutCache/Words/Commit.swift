public import CollectionLayout

/// A batch that has been committed.
///
/// Its JSON is what `layoutcache update --json` prints.
public struct Commit: Hashable, Sendable, Codable {
  /// A layout that the commit has brought up to date.
  public struct LayoutChange: Hashable, Sendable {
    /// The layout's name.
    public var layout: String
    /// What the batch did to it.
    public var context: InvalidationContext

    /// Creates what a batch did to a layout.
    public init(layout: String, context: InvalidationContext) {
      self.layout = layout
      self.context = context
    }
  }

  /// The dataset's name.
  public var dataset: String
  /// The dataset's new revision.
  public var revision: Int
  /// The layouts that the commit has brought up to date, by name.
  public var layouts: [LayoutChange]

  /// Creates a commit.
  public init(dataset: String, revision: Int, layouts: [LayoutChange] = []) {
    self.dataset = dataset
    self.revision = revision
    self.layouts = layouts
  }

  /// Adds what a later commit to the same dataset did.
  package mutating func append(_ next: Commit) {
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

// The members of a layout's context stand beside its name.
extension Commit.LayoutChange: Codable {
  private enum CodingKeys: String, CodingKey { case layout }

  /// Decodes `layout` and the members of an `InvalidationContext`.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      layout: try values.decode(String.self, forKey: .layout),
      context: try InvalidationContext(from: decoder))
  }

  /// Encodes `layout` and the members of an `InvalidationContext`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(layout, forKey: .layout)
    try context.encode(to: encoder)
  }
}

extension Commit: CustomStringConvertible {
  /// "revision 7 of dataset 'tate'; phone: 1 section", with what each layout must look at.
  public var description: String {
    let changes = layouts.map { "\($0.layout): \($0.context)" }
    return (["revision \(revision) of dataset '\(dataset)'"] + changes).joined(separator: "; ")
  }
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
