public import CollectionLayout
public import LayoutGeometry

/// The reason why an operation of a batch cannot be applied, or a commit cannot be undone.
@nonexhaustive
public enum BatchError: Error, Hashable, Sendable {
  /// No item has the key.
  case noSuchKey(String)
  /// No section has the key.
  case noSuchSection(String)
  /// The dataset has no layout with the name.
  case noSuchLayout(String)
  /// The name does not name a layout whose lengths can be set: it fits any width.
  case variant(String, ConfigurationError)
  /// An item with the key already exists.
  case keyExists(String)
  /// An item is named twice in one operation.
  case duplicateKey(String)
  /// A section is named twice in one operation.
  case sectionTwice(String)
  /// A section with the key already exists.
  case sectionExists(String)
  /// An index outside the range from 0 to a count.
  case indexOutOfRange(Int, count: Int)
  /// An item cannot be moved relative to itself.
  case relativeToItself(String)
  /// The item is not in the named section.
  case notInSection(String, section: String)
  /// The item's section is of a kind that takes no preferred lengths in the layout.
  case takesNoLength(String, kind: SectionKind, layout: String)
  /// The item's section takes no preferred cross lengths in the layout.
  case takesNoCrossLength(String, kind: SectionKind, layout: String)
  /// The section has no header, or no footer, in the layout; or the layout, without a section.
  case noSupplementary(
    LayoutAttributes.SupplementaryKind, section: String, layout: String)
  /// The section, or without one the layout, has no elements of a kind, only of some others.
  case noElement(kind: String, section: String?, layout: String, present: [String])
  /// The batch contains a second mark.
  case duplicateMark
  /// The source's current mark differs from the one that the batch expects; `nil` for none.
  case markMismatch(source: String, expected: String?, present: String?)
  /// The operation gives an item or a section a place, which follows from the order of the dataset;
  /// the member that does.
  case sorted(String)
  /// The operation names no section, and the dataset derives none.
  case needsSection
  /// A value exceeds one of the `Limits`; with the item's key, if any.
  case limit(LimitError, key: String?)
  /// For undo: the commit created the dataset, or is an import that rebuilt it.
  case imported
  /// For undo: the file does not contain all previous values. The commit is too old, it removed
  /// more than the log retains, or the dataset was loaded since.
  case notLogged
}

extension BatchError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchKey(let key): "there is no item '\(excerpt(key))'"
    case .noSuchSection(let key): "there is no section '\(excerpt(key))'"
    case .noSuchLayout(let name): "there is no layout '\(excerpt(name))'"
    case .variant(let name, let error): "layout '\(excerpt(name))': \(error)"
    case .keyExists(let key): "item '\(excerpt(key))' already exists"
    case .duplicateKey(let key): "item '\(excerpt(key))' is listed twice"
    case .sectionTwice(let key): "section '\(excerpt(key))' is listed twice"
    case .sectionExists(let key): "section '\(excerpt(key))' already exists"
    case .indexOutOfRange(let index, let count): "index \(index) is out of range; use 0 to \(count)"
    case .relativeToItself(let key): "item '\(excerpt(key))' cannot be moved relative to itself"
    case .notInSection(let key, let section):
      "item '\(excerpt(key))' is not in section '\(excerpt(section))'"
    case .takesNoLength(let key, let kind, let layout):
      """
      item '\(excerpt(key))' is in a \(kind.name) section of layout '\(excerpt(layout))', which \
      takes no preferred lengths\(kind == .flow ? ", because its itemSize is fixed" : "")
      """
    case .takesNoCrossLength(let key, let kind, let layout):
      """
      item '\(excerpt(key))' is in a \(kind.name) section of layout '\(excerpt(layout))', which \
      takes no preferred cross lengths
      """
    case .noSupplementary(let kind, _, let layout) where kind.isOfLayout:
      "layout '\(excerpt(layout))' has no \(kind == .layoutHeader ? "header" : "footer")"
    case .noSupplementary(let kind, let section, let layout):
      "section '\(excerpt(section))' has no \(kind.rawValue) in layout '\(excerpt(layout))'"
    case .noElement(let kind, let section, let layout, let present):
      """
      kinds: \(section.map { "section '\(excerpt($0))' of " } ?? "")layout '\(excerpt(layout))' \
      has no '\(excerpt(kind))'; it has \
      \(present.isEmpty ? "none" : present.map { excerpt($0) }.joined(separator: ", "))
      """
    case .duplicateMark: "a batch can have only one mark; this is the second"
    case .markMismatch(let source, let expected, let present):
      """
      source '\(excerpt(source))' is at \(Self.position(present)), expected \
      \(Self.position(expected))
      """
    case .sorted(let member):
      "\(member) cannot be given: the order of the dataset determines it"
    case .needsSection: "section is missing; give section, before or after"
    case .limit(let error, let key):
      (key.map { "item '\(excerpt($0))': " } ?? "") + error.description
    case .imported: "it is an import"
    case .notLogged: "the database no longer has the previous values"
    }
  }

  private static func position(_ position: String?) -> String {
    position.map { "mark '\(excerpt($0))'" } ?? "no mark"
  }
}
