/// Items in columns, each below the items already in its columns.
struct OracleWaterfall {
  private enum Ties: String { case leading, trailing, cursor }
  private enum Assignment: String { case stable, exact }
  private enum ItemLength: Equatable {
    case aspect, natural
    case fixed(Int64)
  }

  private let tracks: OracleTracks
  private let lineSpacing: Int64
  private let itemLength: ItemLength
  private let minimumLength: Int64
  private let maximumLength: Int64
  let tolerance: Int64
  private let ties: Ties
  private let assignment: Assignment
  /// The units by which the columns may differ, in addition to the longest item.
  private let maximumSkew: Int64

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    tracks = try OracleTracks(section, inset: inset, container: container)
    lineSpacing = try section.length("lineSpacing", in: container) ?? 0
    switch section.value("itemLength") {
    case nil, .string("aspect")?: itemLength = .aspect
    case .string("natural")?: itemLength = .natural
    case .string?: throw OracleRefusal(.outOfRange, section.subject("itemLength"))
    default: itemLength = .fixed(try section.positiveLength("itemLength") ?? 1)
    }
    minimumLength = try section.positiveLength("minimumLength") ?? 1
    maximumLength = try section.positiveLength("maximumLength") ?? .max
    guard minimumLength <= maximumLength else {
      throw OracleRefusal(.outOfRange, section.subject("maximumLength"))
    }
    tolerance = try section.length("tolerance") ?? 0
    ties = try section.choice("ties", Ties.self) ?? .leading
    assignment = try section.choice("assignment", Assignment.self) ?? .stable
    maximumSkew = try section.length("maximumSkew") ?? 2 * container.mainLength
  }

  /// Whether both give the same items the same columns. They may differ in `maximumSkew`, which
  /// determines when items are placed again, not where.
  func places(as other: OracleWaterfall) -> Bool {
    tracks == other.tracks && lineSpacing == other.lineSpacing
      && itemLength == other.itemLength && minimumLength == other.minimumLength
      && maximumLength == other.maximumLength && tolerance == other.tolerance
      && ties == other.ties && assignment == other.assignment
  }

  /// Whether items keep the columns in which they were first placed.
  var isStable: Bool { assignment == .stable }

  func place(_ items: [OracleNaturalItem]) throws(OracleRefusal) -> OraclePlacement {
    var placement = OraclePlacement()
    var next = [Int64](repeating: 0, count: tracks.count)
    var cursor = 0
    for item in items {
      let span = clamped(span: item.span)
      let length = item.preferredLength ?? length(of: item, span: span)
      let column: Int
      if let stored = item.storedColumn {
        precondition(stored >= 0 && stored + span <= tracks.count, "stored column out of range")
        column = stored
      } else {
        column = self.column(forSpan: span, next: next, cursor: cursor)
      }
      let start = next[column..<(column + span)].max()!
      let cross = tracks.start(of: column)
      placement.cells.append(
        OraclePlacement.Cell(
          main: start, mainLength: length, cross: cross,
          crossLength: tracks.end(of: column + span - 1) - cross, column: column))
      for covered in column..<(column + span) { next[covered] = start + length + lineSpacing }
      cursor = column + span
      guard start + length <= OracleLimits.contentLengthMax else {
        throw OracleRefusal(.contentTooLong, "section")
      }
    }
    placement.length = items.isEmpty ? 0 : next.max()! - lineSpacing
    return placement
  }

  func clamped(span: Int) -> Int { span == 0 ? tracks.count : min(span, tracks.count) }

  /// The differences between the columns' next positions after each item of a placement.
  func skews(_ items: [OracleNaturalItem], placed cells: [OraclePlacement.Cell]) -> [Int64] {
    var next = [Int64](repeating: 0, count: tracks.count)
    return zip(items, cells).map { item, cell in
      let column = cell.column!
      for covered in column..<(column + clamped(span: item.span)) {
        next[covered] = cell.main + cell.mainLength + lineSpacing
      }
      return next.max()! - next.min()!
    }
  }

  /// The skew above which a section of these items rebalances.
  func skewLimit(_ cells: [OraclePlacement.Cell]) -> Int64 {
    longest(cells) + maximumSkew
  }

  /// The length of the longest item.
  func longest(_ cells: [OraclePlacement.Cell]) -> Int64 { cells.map(\.mainLength).max() ?? 0 }

  private func column(forSpan span: Int, next: [Int64], cursor: Int) -> Int {
    let positions = (0...(tracks.count - span)).map { next[$0..<($0 + span)].max()! }
    let least = positions.min()!
    let candidates = positions.indices.filter { positions[$0] <= least + tolerance }
    switch ties {
    case .leading: return candidates[0]
    case .trailing: return candidates[candidates.count - 1]
    case .cursor: return candidates.first { $0 >= cursor } ?? candidates[0]
    }
  }

  private func length(of item: OracleNaturalItem, span: Int) -> Int64 {
    let wanted =
      switch itemLength {
      case .aspect: aspectLength(of: item, span: span)
      case .natural: item.mainLength
      case .fixed(let length): length
      }
    return min(max(wanted, minimumLength), maximumLength)
  }

  /// (s * T / columns + (s - 1) * spacing) * main / cross, brought over the one
  /// denominator columns * cross and rounded down.
  private func aspectLength(of item: OracleNaturalItem, span: Int) -> Int64 {
    let columns = Int128(tracks.count)
    let widths = Int128(span) * Int128(tracks.total)
    let gaps = Int128(span - 1) * Int128(tracks.spacing) * columns
    return Int64((widths + gaps) * Int128(item.mainLength) / (columns * Int128(item.crossLength)))
  }
}
