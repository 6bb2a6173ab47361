/// The container in which a section is laid out.
struct OracleContainer {
  let isVertical: Bool
  /// Units across the direction of scrolling.
  let crossLength: Int64
  /// Units along the direction of scrolling.
  let mainLength: Int64

  init(_ object: OracleObject, isVertical: Bool) throws(OracleRefusal) {
    try object.refuseMembers(otherThan: ["width", "height"])
    let crossKey = isVertical ? "width" : "height"
    let mainKey = isVertical ? "height" : "width"
    for key in [crossKey, mainKey] {
      if let points = try object.number(key), points < 1 {
        throw OracleRefusal(.outOfRange, object.subject(key))
      }
    }
    guard let crossLength = try object.length(crossKey) else {
      throw OracleRefusal(.missingMember, object.subject(crossKey))
    }
    (self.isVertical, self.crossLength) = (isVertical, crossLength)
    mainLength = try object.length(mainKey) ?? crossLength
  }

  private init(isVertical: Bool, crossLength: Int64, mainLength: Int64) {
    (self.isVertical, self.crossLength, self.mainLength) = (isVertical, crossLength, mainLength)
  }

  /// The widest container of the same length.
  var widest: OracleContainer {
    OracleContainer(
      isVertical: isVertical, crossLength: 1_000_000 * Units.perPoint, mainLength: mainLength)
  }
}
