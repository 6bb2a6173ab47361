/// The result of a check of a database.
public struct VerificationReport: Hashable, Sendable {
  /// A problem that the check found.
  public struct Problem: Hashable, Sendable {
    /// The location: "database", "dataset tate", "layout phone of dataset tate".
    public var place: String
    /// The problem, in one sentence.
    public var detail: String
  }

  public var datasetCount = 0
  public var layoutCount = 0
  public var itemCount = 0
  /// The nodes read and checked.
  public var nodeCount = 0
  /// The problems found; empty if there are none. A tree is not checked further after its first
  /// problem.
  public var problems: [Problem] = []
}
