/// A change that a layout makes to its cells at query time.
enum OracleEffect {
  case scale(maximum: Double)
  case coverStack
  /// Radians.
  case rotary(maximumAngle: Double)
  case pageTurn
  /// None, in a section of a layout with one.
  case off

  private enum Kind: String { case scale, coverStack, rotary, pageTurn, none }

  /// Rejects members of other kinds.
  init(_ object: OracleObject) throws(OracleRefusal) {
    guard let kind = try object.choice("kind", Kind.self) else {
      throw OracleRefusal(.missingMember, object.subject("kind"))
    }
    switch kind {
    case .scale:
      try object.refuseMembers(otherThan: ["kind", "maximumScale"])
      let maximum = try object.number("maximumScale") ?? 1.3
      guard maximum > 0, maximum <= 100 else {
        throw OracleRefusal(.outOfRange, object.subject("maximumScale"))
      }
      self = .scale(maximum: maximum)
    case .coverStack:
      try object.refuseMembers(otherThan: ["kind"])
      self = .coverStack
    case .rotary:
      try object.refuseMembers(otherThan: ["kind", "maximumAngle"])
      let degrees = try object.number("maximumAngle") ?? 60
      guard degrees >= 0, degrees <= 89 else {
        throw OracleRefusal(.outOfRange, object.subject("maximumAngle"))
      }
      self = .rotary(maximumAngle: degrees * .pi / 180)
    case .pageTurn:
      try object.refuseMembers(otherThan: ["kind"])
      self = .pageTurn
    case .none:
      try object.refuseMembers(otherThan: ["kind"])
      self = .off
    }
  }

  /// Whether every cell has to be as long as the container, one to a line.
  var needsPages: Bool { if case .pageTurn = self { true } else { false } }
}
