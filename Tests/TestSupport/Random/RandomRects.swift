/// Builds rectangles to query a laid out feed with, in units.
public struct RandomRects {
  private let contentSize: UnitSize
  private let frames: [UnitRect]

  /// - Parameter frames: Frames of elements, to aim at their edges.
  public init(contentSize: UnitSize, frames: [UnitRect] = []) {
    self.contentSize = contentSize
    self.frames = frames.filter { !$0.isEmpty }
  }

  /// Aims at the edges and insides of all elements of `oracle`.
  public init(_ oracle: Oracle) {
    self.init(contentSize: oracle.contentSize, frames: oracle.allElements().map(\.frame))
  }

  public func next(using generator: inout SeededGenerator) -> UnitRect {
    switch Int.random(in: 0..<12, using: &generator) {
    case 0: Self.everything
    case 1: farAway(using: &generator)
    case 2, 3: aroundOrTouching(using: &generator)
    case 4: inside(using: &generator)
    case 5: tiny(using: &generator)
    case 6: sizedBelowOne(using: &generator)
    case 7: acrossTheStart(using: &generator)
    default: anywhere(using: &generator)
    }
  }

  /// Far larger than any content on every side.
  public static let everything = UnitRect(x: -1 << 51, y: -1 << 51, width: 1 << 52, height: 1 << 52)

  private func farAway(using generator: inout SeededGenerator) -> UnitRect {
    let distance: Int64 = generator.oneIn(2) ? 1 << 51 : -1 << 51
    return UnitRect(
      x: generator.oneIn(2) ? 0 : distance, y: distance, width: 64_000, height: 64_000)
  }

  /// A viewport with any origin in the content or slightly outside.
  private func anywhere(using generator: inout SeededGenerator) -> UnitRect {
    UnitRect(
      x: Int64.random(in: -6400...(contentSize.width + 6400), using: &generator),
      y: Int64.random(in: -6400...(contentSize.height + 6400), using: &generator),
      width: Int64.random(in: 1...100_000, using: &generator),
      height: Int64.random(in: 1...100_000, using: &generator))
  }

  /// A frame's neighbour on one side: touching it, or one unit into it.
  private func aroundOrTouching(using generator: inout SeededGenerator) -> UnitRect {
    guard let frame = frames.randomElement(using: &generator) else {
      return anywhere(using: &generator)
    }
    let overlap = Int64.random(in: 0...1, using: &generator)
    var rect = frame
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: rect.x += frame.width - overlap
    case 1: rect.x -= frame.width - overlap
    case 2: rect.y += frame.height - overlap
    default: rect.y -= frame.height - overlap
    }
    return rect
  }

  private func inside(using generator: inout SeededGenerator) -> UnitRect {
    guard let frame = frames.randomElement(using: &generator) else {
      return anywhere(using: &generator)
    }
    let dx = Int64.random(in: 0..<frame.width, using: &generator)
    let dy = Int64.random(in: 0..<frame.height, using: &generator)
    return UnitRect(
      x: frame.x + dx, y: frame.y + dy,
      width: Int64.random(in: 1...(frame.width - dx), using: &generator),
      height: Int64.random(in: 1...(frame.height - dy), using: &generator))
  }

  private func tiny(using generator: inout SeededGenerator) -> UnitRect {
    var rect = anywhere(using: &generator)
    rect.width = 1
    rect.height = 1
    return rect
  }

  /// Empty in one direction; intersects nothing.
  private func sizedBelowOne(using generator: inout SeededGenerator) -> UnitRect {
    var rect = anywhere(using: &generator)
    if generator.oneIn(2) { rect.width = 0 } else { rect.height = 0 }
    return rect
  }

  /// Begins before the content, as while rubber-banding.
  private func acrossTheStart(using generator: inout SeededGenerator) -> UnitRect {
    UnitRect(
      x: -Int64.random(in: 0...20_000, using: &generator),
      y: -Int64.random(in: 0...20_000, using: &generator),
      width: Int64.random(in: 1...100_000, using: &generator),
      height: Int64.random(in: 1...100_000, using: &generator))
  }
}
