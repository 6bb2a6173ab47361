import LayoutCache

/// Cards on both sides of a middle line, each on the side that is shorter, and dates across
/// both sides.
///
///     { "kind": "timeline", "options": { "gap": 12 } }
///
/// An item that spans all columns (span 0) is a date. Items after a date do not depend on the
/// cards before it, so an edit places cards again up to the next date at most.
struct Timeline: SectionLayout {
  static let kind = "timeline"

  /// The distance between the sides, and between two cards of a side.
  private let gap: Length
  private let line: Range<Length>
  private let cardWidth: Length

  /// The reason why the options are invalid.
  struct Invalid: Error, CustomStringConvertible {
    var description: String
  }

  init(options: [String: ConfigurationValue], in space: SectionSpace) throws {
    if let unknown = options.keys.filter({ $0 != "gap" }).min() {
      throw Invalid(description: "a timeline has no option '\(unknown)'")
    }
    guard let points = (options["gap"] ?? .number(0)).number, points >= 0,
      let gap = Length(points: points)
    else { throw Invalid(description: "a timeline's gap is a number, at least 0") }
    let free = space.line.upperBound - space.line.lowerBound - gap
    guard free.units >= 2 else {
      throw Invalid(description: "a gap of \(gap) leaves no room for cards")
    }
    self.gap = gap
    line = space.line
    cardWidth = Length(units: free.units / 2)
  }

  func place(
    _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
  ) -> ItemPlacement {
    var sides = Sides(state)
    let length = item.preferredLength ?? item.size.height
    if item.columnSpan == 0 {
      let start = Length(units: max(sides.left, sides.right))
      state = []
      return ItemPlacement(
        frame: Rect(
          x: line.lowerBound, y: start, width: line.upperBound - line.lowerBound, height: length),
        advance: start + length + gap)
    }
    let isLeft = sides.left == sides.right ? !sides.wasLeft : sides.left < sides.right
    let start = Length(units: min(sides.left, sides.right))
    let end = (start + length + gap).units
    if isLeft { sides.left = end } else { sides.right = end }
    sides.wasLeft = isLeft
    let advance = sides.moveAnchor()
    state = sides.state
    return ItemPlacement(
      frame: Rect(
        x: isLeft ? line.lowerBound : line.upperBound - cardWidth, y: start, width: cardWidth,
        height: length),
      advance: Length(units: advance))
  }
}

/// The state on which a card's position depends: the start of the next card on each side, in
/// units from the anchor, and the side of the last card.
private struct Sides {
  var left: Int64 = 0
  var right: Int64 = 0
  var wasLeft = false

  init(_ state: [Int64]) {
    guard state.count == 3 else { return }
    (left, right, wasLeft) = (state[0], state[1], state[2] == 1)
  }

  var state: [Int64] { [left, right, wasLeft ? 1 : 0] }

  /// Moves the anchor to the end of the shorter side, so that states are equal if only their
  /// positions in the section differ.
  ///
  /// - Returns: The distance of the move.
  mutating func moveAnchor() -> Int64 {
    let advance = min(left, right)
    left -= advance
    right -= advance
    return advance
  }
}
