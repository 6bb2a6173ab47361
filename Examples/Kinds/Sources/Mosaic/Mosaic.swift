import LayoutCache

/// Squares, three in a row, and heroes twice as large with two squares next to them. Heroes
/// alternate between the left and the right.
///
///     { "kind": "mosaic", "options": { "gap": 4 } }
///
/// An item with a span of two columns is a hero. A hero that is not followed by two squares fills
/// the whole line. The squares of an incomplete row share its width. So an item's position
/// depends on the next two items, and on no later ones. An item with the data `{"badge":3}` has
/// a badge on its corner. A hero has the value `"style"` for its view, and with the data
/// `{"tilt":-4}` it is turned by as many degrees.
struct Mosaic: SectionLayout, SectionDecorator {
  static let kind = "mosaic"

  let readsData = true
  let lookahead = 2
  let cellKinds: Set<CustomElement.Kind> = [.supplementary("badge")]
  let overhang: Length = 6

  private let line: Range<Length>
  private let gap: Length
  private let side: Length

  /// The reason why the options are invalid.
  struct Invalid: Error, CustomStringConvertible {
    var description: String
  }

  init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
    guard let gap = Length(points: options["gap"]?.number ?? 0), gap >= .zero else {
      throw Invalid(description: "a mosaic's gap is a number, at least 0")
    }
    line = space.line
    self.gap = gap
    side = Length(units: (line.upperBound - line.lowerBound - gap - gap).units / 3)
    guard side >= 1 else { throw Invalid(description: "a gap of \(gap) leaves no room") }
  }

  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) -> ItemPlacement {
    var group = Group(state)
    if group.remaining == 0 { begin(&group, with: item, context) }
    defer { state = group.state }
    group.remaining -= 1
    let isLast = group.remaining == 0
    let full = line.upperBound - line.lowerBound
    if group.rowCount == 0 {
      if isHero(item) {
        let isAlone = group.remaining == 0
        let size = side + side + gap
        return ItemPlacement(
          frame: Rect(
            x: group.isRight && !isAlone ? line.upperBound - size : line.lowerBound, y: .zero,
            width: isAlone ? full : size, height: size),
          advance: isAlone ? size + gap : .zero, zIndex: 1,
          transform: Transform3D(
            rotationBy: (item.data?["tilt"]?.number ?? 0) * .pi / 180, aboutX: 0, y: 0, z: 1),
          values: ["style": .string("hero")])
      }
      return ItemPlacement(
        frame: Rect(
          x: group.isRight ? line.lowerBound : line.upperBound - side,
          y: isLast ? side + gap : .zero, width: side, height: side),
        advance: isLast ? side + side + gap + gap : .zero)
    }
    let count = group.rowCount
    let number = count - 1 - group.remaining
    let width = Length(units: (full - gap * (count - 1)).units / Int64(count))
    return ItemPlacement(
      frame: Rect(
        x: line.lowerBound + (width + gap) * number, y: .zero, width: width, height: side),
      advance: isLast ? side + gap : .zero)
  }

  /// The content excludes the gap after the last row.
  func contentLength(itemsEnd: Length, anchor: Length) -> Length { itemsEnd }

  func elements(of cell: PlacedItem) -> [CustomElement] {
    guard let number = cell.item.data?["badge"]?.number, number > 0 else { return [] }
    return [
      CustomElement(
        kind: .supplementary("badge"),
        frame: Rect(x: cell.frame.maxX - 10, y: cell.frame.minY - 6, width: 16, height: 16),
        zIndex: 2)
    ]
  }

  private func begin(_ group: inout Group, with item: LayoutItem, _ context: ItemContext) {
    let squares = (1...2).prefix { context.next($0).map { !isHero($0) } ?? false }.count
    if isHero(item) {
      group.isRight.toggle()
      group.rowCount = 0
      group.remaining = squares == 2 ? 3 : 1
    } else {
      group.rowCount = 1 + squares
      group.remaining = group.rowCount
    }
  }

  private func isHero(_ item: LayoutItem) -> Bool { item.columnSpan == 2 }
}

/// The items that are placed together: a row, or a hero with the squares next to it.
private struct Group {
  /// The number of items of the group that are not placed yet.
  var remaining: Int
  /// The squares of a row; 0 for a hero's group.
  var rowCount: Int
  /// Whether the last hero is on the right.
  var isRight: Bool

  init(_ state: [Int64]) {
    // A damaged state may contain any numbers.
    let isKnown = state.count == 3 && (0...3).contains(state[0]) && (0...3).contains(state[1])
    remaining = isKnown ? Int(state[0]) : 0
    rowCount = isKnown ? Int(state[1]) : 0
    isRight = isKnown ? state[2] == 1 : true
  }

  var state: [Int64] { [Int64(remaining), Int64(rowCount), isRight ? 1 : 0] }
}
