/// Why the oracle lays nothing out.
public struct OracleRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case malformedText, unknownMember, missingMember, wrongType, outOfRange, conflictingMembers
    case containerTooNarrow, contentTooLong
    /// The specification has it, this oracle does not.
    case unsupported
  }

  public var code: Code
  /// Path of the offending member, such as `section.columns`, or an item's key.
  public var subject: String
  /// For `containerTooNarrow` the least cross length in units that would do.
  public var needed: Int64?

  public init(_ code: Code, _ subject: String, needed: Int64? = nil) {
    self.code = code
    self.subject = subject
    self.needed = needed
  }

  public var description: String {
    let suffix = needed.map { ", needs \(Units.points($0)) points" } ?? ""
    return "\(code.rawValue): \(subject)\(suffix)"
  }
}
