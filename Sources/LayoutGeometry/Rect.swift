/// A point in a layout's content; the origin is its top left corner, x grows to the right and y
/// downward.
public struct Point: Hashable, Sendable, Codable {
  /// The distance from the left.
  public var x: Length
  /// The distance from the top.
  public var y: Length

  /// The content's top left corner.
  public static let zero = Point(x: .zero, y: .zero)

  /// Creates a point.
  @inlinable
  public init(x: Length, y: Length) {
    self.x = x
    self.y = y
  }
}

extension Point {
  /// Creates a point from two numbers of points from input, each rounded down to a whole unit.
  ///
  /// - Returns: `nil` if either is not finite, or beyond ±2^53 units.
  public init?(pointsX x: Double, y: Double) {
    guard let x = Length(points: x), let y = Length(points: y) else { return nil }
    self.init(x: x, y: y)
  }
}

/// A width and a height.
public struct Size: Hashable, Sendable, Codable {
  /// The length from left to right.
  public var width: Length
  /// The length from top to bottom.
  public var height: Length

  /// The size zero.
  public static let zero = Size(width: .zero, height: .zero)

  /// Creates a size.
  @inlinable
  public init(width: Length, height: Length) {
    self.width = width
    self.height = height
  }

  /// Returns the sum of the widths, and that of the heights.
  @inlinable
  public static func + (left: Size, right: Size) -> Size {
    Size(width: left.width + right.width, height: left.height + right.height)
  }

  /// Returns the difference of the widths, and that of the heights.
  @inlinable
  public static func - (left: Size, right: Size) -> Size {
    Size(width: left.width - right.width, height: left.height - right.height)
  }

  /// The size with its width and height exchanged.
  @inlinable
  public var transposed: Size { Size(width: height, height: width) }
}

extension Size {
  /// Creates a size from two numbers of points from input, each rounded down to a whole unit.
  ///
  /// - Returns: `nil` if either is not finite, or beyond ±2^53 units.
  public init?(pointsWidth width: Double, height: Double) {
    guard let width = Length(points: width), let height = Length(points: height) else { return nil }
    self.init(width: width, height: height)
  }
}

/// A half-open rectangle: it includes its left and top edges but not its right and bottom ones,
/// so rectangles that only touch do not intersect, and an empty one intersects nothing.
///
///     let rect = Rect(x: 8, y: 52, width: 183, height: 244)
public struct Rect: Hashable, Sendable {
  /// The top left corner.
  public var origin: Point
  /// The width and the height; negative ones make it empty.
  public var size: Size

  /// Creates a rectangle from its top left corner and its size.
  @inlinable
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// Creates a rectangle from its left and top edges and its size.
  @inlinable
  public init(x: Length, y: Length, width: Length, height: Length) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  /// The left edge, inclusive.
  @inlinable public var minX: Length { origin.x }
  /// The top edge, inclusive.
  @inlinable public var minY: Length { origin.y }
  /// The right edge, exclusive.
  @inlinable public var maxX: Length { origin.x + size.width }
  /// The bottom edge, exclusive.
  @inlinable public var maxY: Length { origin.y + size.height }

  /// Whether the rectangle contains no point.
  @inlinable
  public var isEmpty: Bool { size.width <= .zero || size.height <= .zero }

  /// Returns whether the two rectangles share a point.
  @inlinable
  public func intersects(_ other: Rect) -> Bool {
    !isEmpty && !other.isEmpty
      && minX < other.maxX && other.minX < maxX && minY < other.maxY && other.minY < maxY
  }

  /// The rectangle with its axes exchanged.
  @inlinable
  public var transposed: Rect {
    Rect(x: origin.y, y: origin.x, width: size.height, height: size.width)
  }
}

extension Rect {
  /// Creates a rectangle from four numbers of points from input. Each edge is rounded down to a
  /// whole unit, and the size is the difference of the edges.
  ///
  ///     let rect = Rect(pointsX: 0, y: 0.01, width: 390, height: 0.01)
  ///     // (x 0, y 0, 390 x 0.015625): from 0 to the unit below 0.02 point
  ///
  /// - Returns: `nil` if an edge is not finite, or beyond ±2^53 units.
  public init?(pointsX x: Double, y: Double, width: Double, height: Double) {
    guard let left = Length(points: x), let right = Length(points: x + width),
      let top = Length(points: y), let bottom = Length(points: y + height)
    else { return nil }
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension Rect: Codable {
  private enum CodingKeys: String, CodingKey { case x, y, width, height }

  /// Decodes an object with `x`, `y`, `width` and `height` in points. Each edge is rounded down
  /// to a whole unit, and the size is the difference of the edges.
  ///
  /// - Throws: `DecodingError` if a member is missing or not a number, or an edge is beyond the
  ///   range of lengths.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let rect = Rect(
      pointsX: try values.decode(Double.self, forKey: .x),
      y: try values.decode(Double.self, forKey: .y),
      width: try values.decode(Double.self, forKey: .width),
      height: try values.decode(Double.self, forKey: .height))
    guard let rect else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "not a rectangle in points"))
    }
    self = rect
  }

  /// Encodes an object with `x`, `y`, `width` and `height` in points.
  public func encode(to encoder: any Encoder) throws {
    try origin.encode(to: encoder)
    try size.encode(to: encoder)
  }
}

extension Point: CustomStringConvertible {
  /// The point in points: "(8, 52)".
  public var description: String { "(\(x), \(y))" }
}

extension Size: CustomStringConvertible {
  /// The width and the height in points: "183 x 244".
  public var description: String { "\(width) x \(height)" }
}

extension Rect: CustomStringConvertible {
  /// The top left corner and the size in points: "(x 8, y 52, 183 x 244)".
  public var description: String { "(x \(minX), y \(minY), \(size))" }
}
