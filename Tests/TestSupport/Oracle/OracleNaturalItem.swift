/// An item's natural size in units, named by axis.
struct OracleNaturalItem {
  let crossLength: Int64
  let mainLength: Int64
  let span: Int
  let storedColumn: Int?

  init(_ item: OracleItem, isVertical: Bool) throws(OracleRefusal) {
    for points in [item.width, item.height] {
      // Written so that NaN is refused too. Under half a unit nothing is left to divide by.
      guard points > 0, points <= OracleLimits.lengthMax, Units.rounding(points: points) > 0
      else { throw OracleRefusal(.outOfRange, item.key) }
    }
    guard item.span >= 0 else { throw OracleRefusal(.outOfRange, item.key) }
    let width = Units.rounding(points: item.width)
    let height = Units.rounding(points: item.height)
    crossLength = isVertical ? width : height
    mainLength = isVertical ? height : width
    span = item.span
    storedColumn = item.storedColumn
  }
}
