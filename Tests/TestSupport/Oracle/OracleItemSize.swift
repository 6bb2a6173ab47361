/// The one size that all items of a section have, in units by axis.
struct OracleItemSize {
  let crossLength: Int64
  let mainLength: Int64

  /// Reads the section's `itemSize`, which names the content's axes.
  ///
  /// - Returns: Nil if items have their natural sizes: without the member, or if it requests them.
  static func read(
    _ section: OracleObject, in container: OracleContainer
  ) throws(OracleRefusal) -> OracleItemSize? {
    if case .string(let word)? = section.value("itemSize") {
      guard word == "natural" else { throw OracleRefusal(.outOfRange, section.subject("itemSize")) }
      return nil
    }
    guard let object = try section.object("itemSize") else { return nil }
    try object.refuseMembers(otherThan: ["width", "height"])
    let width = try side("width", of: object, in: container)
    let height = try side("height", of: object, in: container)
    let isVertical = container.isVertical
    return OracleItemSize(
      crossLength: isVertical ? width : height, mainLength: isVertical ? height : width)
  }

  private static func side(
    _ key: String, of object: OracleObject, in container: OracleContainer
  ) throws(OracleRefusal) -> Int64 {
    guard let length = try object.positiveLength(key, in: container) else {
      throw OracleRefusal(.missingMember, object.subject(key))
    }
    return length
  }
}

extension OracleObject {
  /// Whether a side of the section's `itemSize` is relative to the container.
  var hasRelativeItemSize: Bool {
    guard case .object(let sides)? = value("itemSize") else { return false }
    return sides.contains { if case .object = $0.value { true } else { false } }
  }
}
