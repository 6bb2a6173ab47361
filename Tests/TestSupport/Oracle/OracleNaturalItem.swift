/// An item's sizes in units, named by axis.
struct OracleNaturalItem {
  let crossLength: Int64
  let mainLength: Int64
  let span: Int
  let storedColumn: Int?
  let preferredLength: Int64?
  let preferredCrossLength: Int64?

  init(_ item: OracleItem, isVertical: Bool) throws(OracleRefusal) {
    for points in [item.width, item.height] {
      // Written so that NaN is rejected too. Below a unit the length to divide by would be 0.
      guard points > 0, points <= OracleLimits.lengthMax, Units.floor(points: points) > 0
      else { throw OracleRefusal(.outOfRange, item.key) }
    }
    guard (0...OracleLimits.spanMax).contains(item.span) else {
      throw OracleRefusal(.outOfRange, item.key)
    }
    for case let length? in [item.preferredLength, item.preferredCrossLength] {
      guard length > 0, length <= Units.floor(points: OracleLimits.lengthMax) else {
        throw OracleRefusal(.outOfRange, item.key)
      }
    }
    let width = Units.floor(points: item.width)
    let height = Units.floor(points: item.height)
    crossLength = isVertical ? width : height
    mainLength = isVertical ? height : width
    span = item.span
    storedColumn = item.storedColumn
    preferredLength = item.preferredLength
    preferredCrossLength = item.preferredCrossLength
  }
}
