/// A place in a layout's content; the origin is its top left corner, x grows to
/// the right and y downward.
public struct Point: Hashable, Sendable {
  public var x: Length
  public var y: Length

  public static let zero = Point(x: .zero, y: .zero)

  @inlinable
  public init(x: Length, y: Length) {
    self.x = x
    self.y = y
  }
}

/// A width and a height.
public struct Size: Hashable, Sendable {
  public var width: Length
  public var height: Length

  public static let zero = Size(width: .zero, height: .zero)

  @inlinable
  public init(width: Length, height: Length) {
    self.width = width
    self.height = height
  }

  @inlinable
  public static func + (left: Size, right: Size) -> Size {
    Size(width: left.width + right.width, height: left.height + right.height)
  }

  @inlinable
  public static func - (left: Size, right: Size) -> Size {
    Size(width: left.width - right.width, height: left.height - right.height)
  }

  /// The size with its width and height exchanged.
  @inlinable
  public var transposed: Size { Size(width: height, height: width) }
}

/// A half-open rectangle: it holds its left and top edges and not its right and
/// bottom ones, so rectangles that only touch do not intersect, and an empty one
/// intersects nothing.
public struct Rect: Hashable, Sendable {
  public var origin: Point
  public var size: Size

  @inlinable
  public init(origin: Point, size: Size) {
    self.origin = origin
    self.size = size
  }

  @inlinable
  public init(x: Length, y: Length, width: Length, height: Length) {
    self.init(origin: Point(x: x, y: y), size: Size(width: width, height: height))
  }

  @inlinable public var minX: Length { origin.x }
  @inlinable public var minY: Length { origin.y }
  @inlinable public var maxX: Length { origin.x + size.width }
  @inlinable public var maxY: Length { origin.y + size.height }

  /// Whether the rectangle holds no point.
  @inlinable
  public var isEmpty: Bool { size.width <= .zero || size.height <= .zero }

  /// Whether the two rectangles share a point.
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
