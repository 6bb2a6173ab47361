/// The result of a check of a database.
public struct VerificationReport: Hashable, Sendable {
  /// One difference from what should be.
  public struct Problem: Hashable, Sendable {
    /// Where: "database", "dataset tate", "layout phone of dataset tate".
    public var place: String
    /// The problem, in one sentence.
    public var detail: String
  }

  public var datasetCount = 0
  public var layoutCount = 0
  public var itemCount = 0
  /// The nodes read and checked.
  public var nodeCount = 0
  /// Empty where everything is as it should be. A tree is not searched further
  /// after its first problem.
  public var problems: [Problem] = []
}
