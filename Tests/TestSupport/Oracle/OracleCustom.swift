/// The kinds that the engine's tests register as a library's user would, placed here from the
/// first item on in absolute positions.
struct OracleCustom {
  enum Kind: String, CaseIterable {
    case stack, timeline, counter, overlap, pile
  }

  private let kind: Kind
  private let leading: Int64
  /// The units across, less the insets.
  private let available: Int64
  private let gap: Int64

  init(
    _ kind: Kind, _ section: OracleObject, inset: OracleInset, container: OracleContainer
  ) throws(OracleRefusal) {
    self.kind = kind
    leading = inset.crossLeading
    available = try inset.lineLength(in: container, path: section.path)
    gap = try section.object("options")?.length("gap") ?? 0
    if kind == .timeline, available - gap < 2 {
      throw OracleRefusal(.containerTooNarrow, section.path, needed: gap + 2)
    }
  }

  func place(_ items: [OracleNaturalItem]) -> OraclePlacement {
    var placement = OraclePlacement()
    placement.cells =
      switch kind {
      case .stack: stack(items)
      case .timeline: timeline(items)
      case .counter: counter(items)
      case .overlap: overlap(items)
      case .pile: pile(items)
      }
    placement.length = placement.cells.map { $0.main + $0.mainLength }.max() ?? 0
    return placement
  }

  private func cell(_ item: OracleNaturalItem, at main: Int64) -> OraclePlacement.Cell {
    OraclePlacement.Cell(
      main: main, mainLength: item.length, cross: leading, crossLength: available)
  }

  /// One below the other.
  private func stack(_ items: [OracleNaturalItem]) -> [OraclePlacement.Cell] {
    var end: Int64 = 0
    return items.map { item in
      defer { end += item.length + gap }
      return cell(item, at: end)
    }
  }

  /// On the side that has room first; items that span all columns go across both.
  private func timeline(_ items: [OracleNaturalItem]) -> [OraclePlacement.Cell] {
    var ends: [Int64] = [0, 0]
    var last = 1
    return items.map { item in
      var cell = cell(item, at: ends.max()!)
      if item.span == 0 {
        ends = [Int64](repeating: cell.main + cell.mainLength + gap, count: 2)
        last = 1
        return cell
      }
      let side = ends[0] == ends[1] ? 1 - last : ends[0] < ends[1] ? 0 : 1
      cell.main = ends[side]
      cell.crossLength = (available - gap) / 2
      if side == 1 { cell.cross = leading + available - cell.crossLength }
      ends[side] += cell.mainLength + gap
      last = side
      return cell
    }
  }

  /// Each third item further across by a unit or two.
  private func counter(_ items: [OracleNaturalItem]) -> [OraclePlacement.Cell] {
    var end: Int64 = 0
    return items.enumerated().map { index, item in
      var cell = cell(item, at: end)
      cell.cross += Int64(index % 3)
      end += cell.mainLength
      return cell
    }
  }

  /// Each item covers the second half of the previous one. Some have a transform, or values.
  private func overlap(_ items: [OracleNaturalItem]) -> [OraclePlacement.Cell] {
    var end: Int64 = 0
    var length: Int64 = 0
    return items.map { item in
      var cell = cell(item, at: end - length / 2)
      item.show(&cell)
      end = max(end, cell.main + cell.mainLength)
      length = cell.mainLength
      return cell
    }
  }

  /// All in one position, except for their widths; those of a span other than 1 start one
  /// position halfway down.
  private func pile(_ items: [OracleNaturalItem]) -> [OraclePlacement.Cell] {
    var place: Int64 = 0
    return items.map { item in
      var cell = cell(item, at: place + item.crossLength % 640)
      item.show(&cell)
      if item.span != 1 { place += item.length / 2 }
      return cell
    }
  }
}

extension OracleNaturalItem {
  /// The length along the main axis, measured or natural.
  fileprivate var length: Int64 { preferredLength ?? mainLength }

  /// Gives the item's cell the transform, or the values, that the remainder of its width selects.
  fileprivate func show(_ cell: inout OraclePlacement.Cell) {
    switch crossLength % 7 {
    case 0: cell.transform3D = [2, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    case 1: cell.transform3D = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 7.5, -33.25, 0, 1]
    case 2 where length <= 64_000:
      cell.transform3D = [1, 0, 0, 0, 0.25, 1, 0, 0.000244140625, 0, 0, 1, 0, 0, 0, 0, 1]
      cell.values = #"{"tilt":0.25}"#
    case 3: cell.values = #"{"n":\#(crossLength % 5),"tags":["a\"b",null]}"#
    default: break
    }
  }
}
