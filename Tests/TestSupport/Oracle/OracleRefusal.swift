/// The reason why the oracle rejects a layout or a batch.
public struct OracleRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Code: String, Sendable {
    case malformedText, unknownMember, missingMember, wrongType, outOfRange, conflictingMembers
    case containerTooNarrow, contentTooLong
    case unknownItem, unknownSection, itemExists, sectionExists
    /// An operation names an item twice.
    case itemTwice
    /// An item would be placed before or after itself.
    case relativeToItself
    /// The item is in another section than the operation says.
    case inOtherSection
    /// The item's section does not use preferred lengths.
    case takesNoLength
    /// It does not use preferred lengths across.
    case takesNoCrossLength
    /// The section has no header, or no footer.
    case noSupplementary
    /// The section, or the layout, has no element of a kind.
    case noElement
    /// The specification defines it, this oracle does not support it.
    case unsupported
  }

  public var code: Code
  /// Path of the offending member, such as `section.columns`, or the key of an item or a section.
  public var subject: String
  /// For `containerTooNarrow`, the least sufficient cross length in units.
  public var needed: Int64?
  /// Number of the batch's operation, from 1; nil if the error is not due to a single one.
  public var operation: Int?

  public init(_ code: Code, _ subject: String, needed: Int64? = nil) {
    (self.code, self.subject, self.needed) = (code, subject, needed)
  }

  public var description: String {
    let suffix = needed.map { ", needs \(Units.points($0)) points" } ?? ""
    let prefix = operation.map { "operation \($0): " } ?? ""
    return "\(prefix)\(code.rawValue): \(subject)\(suffix)"
  }
}
