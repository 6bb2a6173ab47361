/// Items in lines as UICollectionViewFlowLayout breaks and fills them.
///
/// Spans have no effect.
struct OracleFlow {
  private enum LineAlignment: String { case justified, leading, center, trailing }
  private enum CrossAlignment: String { case center, top, bottom }
  private enum Sizes {
    case natural
    /// Natural sizes, scaled to one length along the main axis.
    case scaled(mainLength: Int64)
    case fixed(OracleItemSize)
  }
  private typealias Size = (crossLength: Int64, mainLength: Int64)

  private let leading: Int64
  /// A: units across that a line may fill.
  private let available: Int64
  private let sizes: Sizes
  private let spacing: Int64
  private let lineSpacing: Int64
  private let lineAlignment: LineAlignment
  private let crossAlignment: CrossAlignment

  init(
    _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    leading = inset.crossLeading
    available = try inset.lineLength(in: container, path: section.path)
    let size = try OracleItemSize.read(section, in: container)
    let lineLength = try section.positiveLength("lineLength")
    switch (size, lineLength) {
    case (nil, nil): sizes = .natural
    case (nil, let length?): sizes = .scaled(mainLength: length)
    case (let size?, nil): sizes = .fixed(size)
    default: throw OracleRefusal(.conflictingMembers, section.subject("lineLength"))
    }
    spacing = try section.length("minimumInteritemSpacing", in: container) ?? 0
    lineSpacing = try section.length("minimumLineSpacing", in: container) ?? 0
    lineAlignment = try section.choice("lineAlignment", LineAlignment.self) ?? .justified
    crossAlignment = try section.choice("crossAlignment", CrossAlignment.self) ?? .center
  }

  var takesPreferredLengths: Bool { if case .fixed = sizes { false } else { true } }

  func place(_ items: [OracleNaturalItem]) -> OraclePlacement {
    var placement = OraclePlacement()
    var rest = items.map(size)[...]
    var lineStart: Int64 = 0
    while !rest.isEmpty {
      let line = rest.prefix(countOfLine(rest))
      rest = rest.dropFirst(line.count)
      let lineLength = line.map(\.mainLength).max()!
      for (size, start) in zip(line, starts(line.map(\.crossLength), isLast: rest.isEmpty)) {
        placement.cells.append(
          OraclePlacement.Cell(
            main: lineStart + offset(of: size.mainLength, in: lineLength),
            mainLength: size.mainLength, cross: leading + start, crossLength: size.crossLength))
      }
      placement.length = lineStart + lineLength
      lineStart = placement.length + lineSpacing
    }
    return placement
  }

  private func size(of item: OracleNaturalItem) -> Size {
    switch sizes {
    case .natural:
      (
        min(item.preferredCrossLength ?? item.crossLength, available),
        item.preferredLength ?? item.mainLength
      )
    case .scaled(let length):
      (
        min(
          item.preferredCrossLength ?? scaledCrossLength(of: item, mainLength: length),
          available),
        item.preferredLength ?? length
      )
    case .fixed(let size): (min(size.crossLength, available), size.mainLength)
    }
  }

  /// Rounded down, but at least one unit.
  private func scaledCrossLength(of item: OracleNaturalItem, mainLength: Int64) -> Int64 {
    max(1, item.crossLength * mainLength / item.mainLength)
  }

  /// The number of items in the first line, at least one.
  private func countOfLine(_ sizes: ArraySlice<Size>) -> Int {
    var count = 0
    var end: Int64 = 0
    for size in sizes {
      let gap = count == 0 ? 0 : spacing
      guard count == 0 || end + gap + size.crossLength <= available else { break }
      end += gap + size.crossLength
      count += 1
    }
    return count
  }

  /// The starts of a line's items, from the leading inset.
  private func starts(_ lengths: [Int64], isLast: Bool) -> [Int64] {
    let leftOver = leftOver(count: lengths.count, sum: lengths.reduce(0, +))
    switch lineAlignment {
    case .leading: return starts(lengths, from: 0)
    case .center: return starts(lengths, from: half(leftOver))
    case .trailing: return starts(lengths, from: leftOver)
    case .justified:
      if isLast { return startsOfLastLine(lengths) }
      return lengths.count == 1
        ? starts(lengths, from: half(leftOver))
        : starts(lengths, sharing: leftOver, between: lengths.count - 1)
    }
  }

  /// With a fixed size, the last line has the gaps of a full line, even if a full line has one
  /// item.
  private func startsOfLastLine(_ lengths: [Int64]) -> [Int64] {
    guard case .fixed = sizes else { return starts(lengths, from: 0) }
    let length = lengths[0]
    let count = max(1, Int((available + spacing) / (length + spacing)))
    let leftOver = leftOver(count: count, sum: Int64(count) * length)
    return count == 1
      ? starts(lengths, from: half(leftOver))
      : starts(lengths, sharing: leftOver, between: count - 1)
  }

  /// The units left over by a line of `count` items of total length `sum` at the minimum spacing.
  private func leftOver(count: Int, sum: Int64) -> Int64 {
    available - sum - Int64(count - 1) * spacing
  }

  private func starts(_ lengths: [Int64], from first: Int64) -> [Int64] {
    starts(lengths, from: first, sharing: 0, between: 1)
  }

  /// - Parameters:
  ///   - extra: Units that the gaps share on top of the minimum spacing; the remainder goes to
  ///     the first ones.
  ///   - gaps: The number of gaps that share it; the line may have fewer.
  private func starts(
    _ lengths: [Int64], from first: Int64 = 0, sharing extra: Int64, between gaps: Int
  ) -> [Int64] {
    var starts: [Int64] = []
    var next = first
    for (index, length) in lengths.enumerated() {
      starts.append(next)
      let remainder: Int64 = index < Int(extra % Int64(gaps)) ? 1 : 0
      next += length + spacing + extra / Int64(gaps) + remainder
    }
    return starts
  }

  private func offset(of length: Int64, in lineLength: Int64) -> Int64 {
    switch crossAlignment {
    case .top: 0
    case .center: half(lineLength - length)
    case .bottom: lineLength - length
    }
  }

  /// Rounded down; what is left over is never negative.
  private func half(_ length: Int64) -> Int64 { length / 2 }
}
