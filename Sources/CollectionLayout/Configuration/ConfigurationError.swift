public import LayoutGeometry

/// An invalid layout configuration, or name of a variant of a layout. Always the caller's fault;
/// nothing has been stored when it is thrown.
public struct ConfigurationError: Error, Hashable, Sendable {
  /// The reason that the configuration is invalid.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The text is not the expected JSON; the detail has the position.
    case malformed(detail: String)
    /// An object in the text has a duplicate member.
    case repeatedMember(String)
    /// An unknown member, with the members of the object.
    case unknownKey(String, known: [String])
    /// An unknown name, with the names that the member accepts.
    case unknownChoice(String, known: [String])
    /// A missing member without a default.
    case missing(String)
    /// A length or count beyond its limit.
    case limit(LimitError)
    /// Two members that exclude each other.
    case conflict(String, String)
    /// `minimumLength` is above `maximumLength`.
    case emptyRange(minimum: Length, maximum: Length)
    /// Insets and gaps leave less than one point per column.
    case containerTooNarrow(crossLength: Length, neededLength: Length, columns: Int)
    /// The layout fits any width, and the call needs one.
    case sizeMissing
    /// In a layout's name, the text after the `@` is not a size.
    case malformedSize
    /// The name of a new layout contains `@`, or the name of an existing variant cannot be given to
    /// a layout.
    case reservedName
  }

  /// A position in a text, both numbers from 1; columns count Unicode scalars.
  public struct Place: Hashable, Sendable {
    public var line: Int
    public var column: Int

    /// Creates a position.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// The reason.
  public var code: Code
  /// The path of the member at fault, outermost first, such as `["sections", "1997"]`; empty
  /// for the configuration itself.
  public var path: [String]
  /// The position in the text; `nil` for a configuration that was not parsed from text.
  public var place: Place?

  /// Creates the error for the member at a path.
  public init(_ code: Code, at path: [String] = [], place: Place? = nil) {
    (self.code, self.path, self.place) = (code, path, place)
  }

  /// Runs a check of ``Limits`` for the member at a path.
  static func limit(
    at path: [String], _ check: @autoclosure () throws(LimitError) -> Void
  ) throws(ConfigurationError) {
    do { try check() } catch { throw ConfigurationError(.limit(error), at: path) }
  }
}

extension ConfigurationError {
  /// Whether the error is a section kind that is neither built in nor registered.
  private var isUnknownKind: Bool {
    if case .unknownChoice = code { path.last == "kind" } else { false }
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// One sentence with the reason and the position, such as "line 3, column 5: unknown member
  /// 'colums' (in section)".
  public var description: String {
    let start = self.place.map { "line \($0.line), column \($0.column): " } ?? ""
    let place = path.isEmpty ? "" : " (in \(excerpt(path.joined(separator: "."))))"
    return clauses(start + reason + place, advice)
  }

  /// A similar name, or the existing names.
  private var advice: String? {
    switch code {
    case .unknownKey(let name, let known):
      return didYouMean(name, among: known) ?? "the members are \(listing(known, upTo: 40))"
    case .unknownChoice(let name, let known):
      if let meant = didYouMean(name, among: known) { return meant }
      // Without registered kinds, an unknown kind is most likely a misspelt one.
      return isUnknownKind
        ? "custom kinds must be registered when the database is opened" : nil
    case .missing(let name) where name == "container":
      return "for example {\"container\": {\"width\": 390}}"
    default: return nil
    }
  }

  private var reason: String {
    switch code {
    case .malformed(let detail): detail
    case .repeatedMember(let name): "member '\(excerpt(name))' occurs twice"
    case .unknownKey(let key, _): "unknown member '\(excerpt(key))'"
    case .unknownChoice(let name, let known) where known.isEmpty:
      "'\(excerpt(name))' is not registered"
    case .unknownChoice(let name, let known):
      "'\(excerpt(name))' is not one of \(known.map { "'\($0)'" }.joined(separator: ", "))"
    case .missing(let key): "'\(excerpt(key))' is missing"
    case .limit(let error): error.description
    case .conflict(let first, let second): "'\(first)' and '\(second)' cannot be combined"
    case .emptyRange(let minimum, let maximum):
      "minimumLength \(minimum) is above maximumLength \(maximum)"
    case .containerTooNarrow(let cross, let needed, let columns):
      """
      the container's cross length is \(cross) points; the insets, the gaps and one point for each \
      of \(columns) columns need \(needed)
      """
    case .sizeMissing: "it fits any width; add one to its name, for example NAME@390"
    case .malformedSize: "expected NAME@WIDTH or NAME@WIDTHxHEIGHT, in points"
    case .reservedName: "'@' in a name separates a layout from a width; use another name"
    }
  }
}
