public import CollectionLayout
public import LayoutGeometry

/// Why a batch is refused: its first operation that cannot be carried out.
public struct RefusedOperation: Error, Hashable, Sendable {
  /// Why an operation cannot be carried out.
  @nonexhaustive
  public enum Reason: Error, Hashable, Sendable {
    /// No item has the key.
    case noSuchKey(String)
    /// No section has the key.
    case noSuchSection(String)
    /// The dataset has no layout of the name.
    case noSuchLayout(String)
    /// An item has the key already.
    case keyExists(String)
    /// An operation names an item twice that it may name once.
    case keyTwice(String)
    /// An operation names a section twice that it may name once.
    case sectionTwice(String)
    /// A section has the key already.
    case sectionExists(String)
    /// An index beyond what may be given, 0 to a count.
    case indexOutOfRange(Int, count: Int)
    /// An item cannot be moved to a place next to itself.
    case besideItself(String)
    /// The item is in another section than the one that is named.
    case notInSection(String, section: String)
    /// The item's section is of a kind that takes no preferred lengths in the layout.
    case takesNoLength(String, kind: SectionKind, layout: String)
    /// The item's section takes no preferred lengths across in the layout.
    case takesNoCrossLength(String, kind: SectionKind, layout: String)
    /// The section has no header, or no footer, in the layout.
    case noSupplementary(
      LayoutAttributes.SupplementaryKind, section: String, layout: String)
    /// The batch has a mark already.
    case markTwice
    /// The source's present mark is another one than the batch expects; `nil` for none.
    case markMismatch(source: String, expected: String?, present: String?)
    /// A value beyond one of `Limits`; with the key of the item that has it.
    case limit(LimitError, key: String?)
  }

  /// The operation's number in the batch, from 1.
  public var number: Int
  public var reason: Reason

  public init(number: Int, reason: Reason) {
    self.number = number
    self.reason = reason
  }
}

extension RefusedOperation: CustomStringConvertible {
  public var description: String { "operation \(number): \(reason)" }
}

extension RefusedOperation.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .noSuchKey(let key): "there is no item '\(excerpt(key))'"
    case .noSuchSection(let key): "there is no section '\(excerpt(key))'"
    case .noSuchLayout(let name): "there is no layout '\(excerpt(name))'"
    case .keyExists(let key): "there is an item '\(excerpt(key))' already"
    case .keyTwice(let key): "item '\(excerpt(key))' is named twice"
    case .sectionTwice(let key): "section '\(excerpt(key))' is named twice"
    case .sectionExists(let key): "there is a section '\(excerpt(key))' already"
    case .indexOutOfRange(let index, let count): "index \(index) is not within 0 to \(count)"
    case .besideItself(let key): "item '\(excerpt(key))' is to stand beside itself"
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
      takes no preferred lengths across
      """
    case .noSupplementary(let kind, let section, let layout):
      "section '\(excerpt(section))' has no \(kind.rawValue) in layout '\(excerpt(layout))'"
    case .markTwice: "a batch has at most one mark, and this is the second"
    case .markMismatch(let source, let expected, let present):
      """
      source '\(excerpt(source))' is at \(Self.position(present)), where \(Self.position(expected)) \
      was expected
      """
    case .limit(let error, let key):
      (key.map { "item '\(excerpt($0))': " } ?? "") + error.description
    }
  }

  private static func position(_ position: String?) -> String {
    position.map { "mark '\(excerpt($0))'" } ?? "no mark"
  }
}
