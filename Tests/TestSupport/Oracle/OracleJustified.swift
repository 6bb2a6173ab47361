/// Rows of photos that keep their ratios and fill the width.
///
/// Spans and preferred lengths have no effect.
struct OracleJustified {
  private enum LastRow: String { case natural, fill, match }

  private struct Row {
    var count: Int
    /// H: the row's length along the main axis, in units, not rounded.
    var length: Double
    var reachesEdge: Bool
  }

  private let leading: Int64
  /// Units across that a row may fill.
  private let available: Int64
  private let spacing: Int64
  private let target: Int64
  /// The maximum length of an unfinished row.
  private let unfinishedLengthMax: Int64
  /// Whether an unfinished row is no longer than the row before it.
  private let matches: Bool

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    leading = inset.crossLeading
    available = try inset.lineLength(in: container, path: section.path)
    spacing = try section.length("spacing", in: container) ?? 0
    guard let length = try section.positiveLength("targetRowLength", in: container) else {
      throw OracleRefusal(.missingMember, section.subject("targetRowLength"))
    }
    target = length
    let maximum = try section.positiveLength("maximumRowLength")
    let lastRow = try section.choice("lastRow", LastRow.self) ?? .natural
    // Half as much again, rounded down.
    unfinishedLengthMax = lastRow == .fill ? maximum ?? target + target / 2 : target
    matches = lastRow == .match
  }

  func place(_ items: [OracleNaturalItem]) throws(OracleRefusal) -> OraclePlacement {
    var placement = OraclePlacement()
    var rest = items.map { Double($0.crossLength) / Double($0.mainLength) }[...]
    var rowStart: Int64 = 0
    var before = Int64.max
    while !rest.isEmpty {
      let row = firstRow(rest, after: before)
      guard row.length <= Double(OracleLimits.contentLengthMax) else {
        throw OracleRefusal(.contentTooLong, "section")
      }
      let rowLength = max(1, Units.floor(units: row.length))
      before = rowLength
      for (start, end) in edges(rest.prefix(row.count), row) {
        placement.cells.append(
          OraclePlacement.Cell(
            main: rowStart, mainLength: rowLength, cross: leading + start,
            crossLength: max(0, end - start)))
      }
      rest = rest.dropFirst(row.count)
      placement.length = rowStart + rowLength
      rowStart = placement.length + spacing
      guard placement.length <= OracleLimits.contentLengthMax else {
        throw OracleRefusal(.contentTooLong, "section")
      }
    }
    return placement
  }

  /// The row formed by the first of these ratios, after a row of a length.
  private func firstRow(_ ratios: ArraySlice<Double>, after rowBefore: Int64) -> Row {
    let target = Double(target)
    var sum = 0.0
    var before = Double.infinity
    for (index, ratio) in ratios.enumerated() {
      sum += ratio
      let length = Double(available - Int64(index) * spacing) / sum
      if length <= target {
        // The first item's row is infinitely far off without it.
        return abs(before - target) < abs(length - target)
          ? Row(count: index, length: before, reachesEdge: true)
          : Row(count: index + 1, length: length, reachesEdge: true)
      }
      before = length
    }
    let limit = Double(matches ? min(unfinishedLengthMax, rowBefore) : unfinishedLengthMax)
    return Row(count: ratios.count, length: min(before, limit), reachesEdge: before <= limit)
  }

  /// The starts and ends of a row's items, from the leading inset. Gaps that leave no room for
  /// the items give ends below starts.
  private func edges(_ ratios: ArraySlice<Double>, _ row: Row) -> [(start: Int64, end: Int64)] {
    var edges: [(start: Int64, end: Int64)] = []
    var sum = 0.0
    for (index, ratio) in ratios.enumerated() {
      let gaps = Int64(index) * spacing
      let start = Units.floor(units: row.length * sum) + gaps
      sum += ratio
      edges.append((start, Units.floor(units: row.length * sum) + gaps))
    }
    if row.reachesEdge { edges[edges.count - 1].end = available }
    return edges
  }
}
