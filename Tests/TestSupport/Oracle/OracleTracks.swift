/// The columns of a waterfall or grid; all lengths in units.
struct OracleTracks: Equatable {
  let count: Int
  /// T: the units shared by the columns, less the spacing.
  let total: Int64
  let spacing: Int64
  /// The start of the first column.
  let leading: Int64
  /// The parts of T that the columns have, all 1 unless the section is a grid that lists them.
  private let weights: [Int64]

  /// - Parameter isGrid: Whether `columns` may be a list of weights.
  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer, isGrid: Bool = false
  ) throws(OracleRefusal) {
    let insets = inset.crossLeading + inset.crossTrailing
    let available = container.crossLength - insets
    leading = inset.crossLeading
    spacing = try section.length("columnSpacing", in: container) ?? 0

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
      weights = Array(repeating: 1, count: count)
    } else if case .array(let list)? = section.value("columns") {
      guard isGrid else { throw OracleRefusal(.outOfRange, section.subject("columns")) }
      weights = try list.map { value throws(OracleRefusal) in
        guard case .number(let number) = value, let weight = Int64(exactly: number) else {
          throw OracleRefusal(.wrongType, section.subject("columns"))
        }
        guard weight >= 1, weight <= 1000 else {
          throw OracleRefusal(.outOfRange, section.subject("columns"))
        }
        return weight
      }
      count = weights.count
    } else {
      count = try section.wholeNumber("columns") ?? 2
      weights = Array(repeating: 1, count: min(max(count, 1), OracleLimits.columnCountMax))
    }
    guard count >= 1, count <= OracleLimits.columnCountMax else {
      throw OracleRefusal(.outOfRange, section.subject("columns"))
    }

    let gaps = Int64(count - 1) * spacing
    // The narrowest column has at least a point.
    let whole = weights.reduce(0, +)
    let narrowest = weights.min() ?? 1
    let least = (whole * Units.perPoint + narrowest - 1) / narrowest
    total = available - gaps
    guard total >= least else {
      throw OracleRefusal(.containerTooNarrow, section.path, needed: insets + gaps + least)
    }
  }

  func start(of column: Int) -> Int64 {
    leading + part(before: column) + Int64(column) * spacing
  }

  func end(of column: Int) -> Int64 {
    leading + part(before: column + 1) + Int64(column) * spacing
  }

  /// The units of T that the first columns have together.
  private func part(before column: Int) -> Int64 {
    weights.prefix(column).reduce(0, +) * total / weights.reduce(0, +)
  }
}
