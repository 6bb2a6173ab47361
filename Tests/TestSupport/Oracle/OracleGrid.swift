/// Equal cells in rows; sizes and spans of the items have no effect.
struct OracleGrid {
  private let tracks: OracleTracks
  private let lineSpacing: Int64
  private let rowLength: Int64

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    tracks = try OracleTracks(section, inset: inset, container: container, isGrid: true)
    lineSpacing = try section.length("lineSpacing", in: container) ?? 0
    switch section.value("rowLength") {
    case nil, .string("square")?:
      rowLength = tracks.total / Int64(tracks.count)
    case .string?: throw OracleRefusal(.outOfRange, section.subject("rowLength"))
    default: rowLength = try section.positiveLength("rowLength") ?? 1
    }
  }

  /// Whether every cell has its own row, as long as the container.
  func isPages(of container: OracleContainer) -> Bool {
    tracks.count == 1 && rowLength == container.mainLength
  }

  func place(_ items: [OracleNaturalItem]) -> OraclePlacement {
    var placement = OraclePlacement()
    for index in items.indices {
      let column = index % tracks.count
      let row = Int64(index / tracks.count)
      let cell = OraclePlacement.Cell(
        main: row * (rowLength + lineSpacing), mainLength: rowLength,
        cross: tracks.start(of: column),
        crossLength: tracks.end(of: column) - tracks.start(of: column), column: column)
      placement.cells.append(cell)
      placement.length = cell.main + rowLength
    }
    return placement
  }
}
