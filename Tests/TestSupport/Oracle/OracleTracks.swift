/// The columns of a waterfall or grid; all lengths in units.
struct OracleTracks: Equatable {
  let count: Int
  /// T: the units shared by the columns, less the spacing.
  let total: Int64
  let spacing: Int64
  /// The start of the first column.
  let leading: Int64

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    let insets = inset.crossLeading + inset.crossTrailing
    let available = container.crossLength - insets
    leading = inset.crossLeading
    spacing = try section.length("columnSpacing") ?? 0

    if section.has("columns"), section.has("minimumColumnWidth") {
      throw OracleRefusal(.conflictingMembers, section.subject("minimumColumnWidth"))
    }
    if let minimum = try section.positiveLength("minimumColumnWidth") {
      // As many as fit, found by trying: n columns need n widths and n - 1 gaps.
      var fitting = 1
      while fitting <= OracleLimits.columnCountMax,
        Int64(fitting + 1) * minimum + Int64(fitting) * spacing <= available
      {
        fitting += 1
      }
      count = fitting
    } else {
      count = try section.wholeNumber("columns") ?? 2
    }
    guard count >= 1, count <= OracleLimits.columnCountMax else {
      throw OracleRefusal(.outOfRange, section.subject("columns"))
    }

    let gaps = Int64(count - 1) * spacing
    let least = Int64(count) * Units.perPoint
    total = available - gaps
    guard total >= least else {
      throw OracleRefusal(.containerTooNarrow, section.path, needed: insets + gaps + least)
    }
  }

  func start(of column: Int) -> Int64 {
    leading + Int64(column) * total / Int64(count) + Int64(column) * spacing
  }

  func end(of column: Int) -> Int64 {
    leading + Int64(column + 1) * total / Int64(count) + Int64(column) * spacing
  }
}
