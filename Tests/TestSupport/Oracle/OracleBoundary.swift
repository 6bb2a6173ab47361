/// An element before or after a section's content; all lengths in units.
struct OracleBoundary {
  private enum Edge: String { case top, bottom }
  private enum Alignment: String { case leading, center, trailing }

  let kind: String
  let isBottom: Bool
  var length: Int64
  let pins: Bool
  private(set) var zIndex = 0
  /// The place across, without the inset.
  private(set) var cross: Int64 = 0
  private(set) var crossLength: Int64
  private(set) var inset: OracleInset

  /// A header or footer.
  init(
    _ kind: String, length: Int64, pins: Bool, in container: OracleContainer
  ) throws(OracleRefusal) {
    (self.kind, self.length, self.pins) = (kind, length, pins)
    isBottom = kind == "footer"
    crossLength = container.crossLength
    inset = try OracleInset(nil, in: container)
  }

  /// An element of the list.
  init(_ object: OracleObject, in container: OracleContainer) throws(OracleRefusal) {
    try object.refuseMembers(otherThan: [
      "kind", "edge", "length", "inset", "crossLength", "alignment", "pins", "zIndex",
    ])
    guard let kind = try object.string("kind") else {
      throw OracleRefusal(.missingMember, object.subject("kind"))
    }
    guard let length = try object.positiveLength("length", in: container) else {
      throw OracleRefusal(.missingMember, object.subject("length"))
    }
    (self.kind, self.length) = (kind, length)
    isBottom = try object.choice("edge", Edge.self) == .bottom
    pins = try object.flag("pins") ?? false
    zIndex = try object.wholeNumber("zIndex") ?? 0
    inset = try OracleInset(object.object("inset"), in: container)
    crossLength = try object.positiveLength("crossLength", in: container) ?? container.crossLength
    let rest = container.crossLength - crossLength
    guard rest >= 0, inset.crossLeading + inset.crossTrailing < crossLength,
      inset.mainLeading + inset.mainTrailing < length
    else { throw OracleRefusal(.outOfRange, object.path) }
    switch try object.choice("alignment", Alignment.self) ?? .leading {
    case .leading: break
    case .center: cross = rest / 2
    case .trailing: cross = rest
    }
  }

  /// The elements of a section's list.
  static func list(
    _ section: OracleObject, in container: OracleContainer, background: String?
  ) throws(OracleRefusal) -> [OracleBoundary] {
    guard let value = section.value("supplementary") else { return [] }
    guard case .array(let entries) = value else {
      throw OracleRefusal(.wrongType, section.subject("supplementary"))
    }
    guard entries.count <= 16 else {
      throw OracleRefusal(.outOfRange, section.subject("supplementary"))
    }
    var names = ["header", "footer", "layoutHeader", "layoutFooter"]
    if let background { names.append(background) }
    var list: [OracleBoundary] = []
    for (index, entry) in entries.enumerated() {
      let path = section.subject("supplementary.\(index)")
      let element = try OracleBoundary(OracleObject(entry, path: path), in: container)
      if names.contains(element.kind) { throw OracleRefusal(.conflictingMembers, path) }
      names.append(element.kind)
      list.append(element)
    }
    return list
  }
}

extension [OracleBoundary] {
  /// The length along the main axis of all.
  var length: Int64 { reduce(0) { $0 + $1.length } }
}
