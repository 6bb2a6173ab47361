/// Why the oracle lays nothing out, or leaves a feed as it was.
public struct OracleRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case malformedText, unknownMember, missingMember, wrongType, outOfRange, conflictingMembers
    case containerTooNarrow, contentTooLong
    case unknownItem, unknownSection, itemExists, sectionExists
    /// An operation names an item twice.
    case itemTwice
    /// An item is to be before or after itself.
    case relativeToItself
    /// The item is in another section than the operation says.
    case inOtherSection
    /// The item's section takes no preferred lengths.
    case takesNoLength
    /// It takes none across.
    case takesNoCrossLength
    /// The section has no header, or no footer.
    case noSupplementary
    /// The specification has it, this oracle does not.
    case unsupported
  }

  public var code: Code
  /// Path of the offending member, such as `section.columns`, or the key of
  /// an item or a section.
  public var subject: String
  /// For `containerTooNarrow` the least cross length in units that would do.
  public var needed: Int64?
  /// Number of the batch's operation, from 1; nil where no single one is to blame.
  public var operation: Int?

  public init(_ code: Code, _ subject: String, needed: Int64? = nil) {
    self.code = code
    self.subject = subject
    self.needed = needed
  }

  public var description: String {
    let suffix = needed.map { ", needs \(Units.points($0)) points" } ?? ""
    let prefix = operation.map { "operation \($0): " } ?? ""
    return "\(prefix)\(code.rawValue): \(subject)\(suffix)"
  }
}
