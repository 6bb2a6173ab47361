public import LayoutGeometry

/// A layout configuration that is refused. Always the caller's fault; nothing
/// has been stored when it is thrown.
public struct ConfigurationError: Error, Hashable, Sendable {
  /// Why the configuration is refused.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The text is not the JSON that is expected; the detail says where.
    case malformed(detail: String)
    /// An object of the text has a member twice.
    case repeatedMember(String)
    /// A member that the object does not have, and those that it may have.
    case unknownKey(String, known: [String])
    /// A name that is none of those that the member takes.
    case unknownChoice(String, known: [String])
    /// A member that must be given.
    case missing(String)
    /// A length or count beyond its limit.
    case limit(LimitError)
    /// Two members that exclude each other.
    case conflict(String, String)
    /// `minimumLength` is above `maximumLength`.
    case emptyRange(minimum: Length, maximum: Length)
    /// Insets and gaps leave less than one point a column.
    case containerTooNarrow(crossLength: Length, neededLength: Length, columns: Int)
  }

  /// A place in a text, both numbers from 1; columns count Unicode scalars.
  public struct Place: Hashable, Sendable {
    public var line: Int
    public var column: Int

    /// Creates a place.
    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }
  }

  /// Why.
  public var code: Code
  /// The members that lead to the place, outermost first, such as
  /// `["sections", "1997"]`; empty for the configuration itself.
  public var path: [String]
  /// Where that is in the text; `nil` for a configuration that is read from none.
  public var place: Place?

  /// Creates the error of what is at a path.
  public init(_ code: Code, at path: [String] = [], place: Place? = nil) {
    self.code = code
    self.path = path
    self.place = place
  }

  /// Runs a check of ``Limits`` on what is at a path.
  static func limit(
    at path: [String], _ check: @autoclosure () throws(LimitError) -> Void
  ) throws(ConfigurationError) {
    do { try check() } catch { throw ConfigurationError(.limit(error), at: path) }
  }
}

extension ConfigurationError {
  /// Whether it is about a section kind that is neither built in nor registered.
  private var isUnknownKind: Bool {
    if case .unknownChoice = code { path.last == "kind" && path.first != "effect" } else { false }
  }
}

extension ConfigurationError: CustomStringConvertible {
  /// One sentence with the reason and the place, such as
  /// "line 3, column 5: unknown member 'colums' (in section)".
  public var description: String {
    let start = self.place.map { "line \($0.line), column \($0.column): " } ?? ""
    let place = path.isEmpty ? "" : " (in \(excerpt(path.joined(separator: "."))))"
    return clauses(start + reason + place, advice)
  }

  /// The name that was probably meant, or the names that exist.
  private var advice: String? {
    switch code {
    case .unknownKey(let name, let known):
      return didYouMean(name, among: known) ?? "there are \(listing(known, upTo: 40))"
    case .unknownChoice(let name, let known):
      if let meant = didYouMean(name, among: known) { return meant }
      // Whoever knows no other kinds than those named has mistyped one of them.
      return isUnknownKind
        ? "a program with kinds of its own registers them when it opens the database" : nil
    case .missing(let name) where name == "container":
      return "state it as {\"container\": {\"width\": 390}}"
    default: return nil
    }
  }

  private var reason: String {
    switch code {
    case .malformed(let detail): detail
    case .repeatedMember(let name): "member '\(excerpt(name))' occurs twice"
    case .unknownKey(let key, _): "unknown member '\(excerpt(key))'"
    case .unknownChoice(let name, let known):
      "'\(excerpt(name))' is not one of \(known.map { "'\($0)'" }.joined(separator: ", "))"
    case .missing(let key): "'\(excerpt(key))' is missing"
    case .limit(let error): error.description
    case .conflict(let first, let second): "'\(first)' and '\(second)' exclude each other"
    case .emptyRange(let minimum, let maximum):
      "minimumLength \(minimum) is above maximumLength \(maximum)"
    case .containerTooNarrow(let cross, let needed, let columns):
      """
      the container is \(cross) points across; its insets, its gaps and one point for each of \
      \(columns) columns need \(needed)
      """
    }
  }
}
