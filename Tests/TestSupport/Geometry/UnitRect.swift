/// A rectangle in units of 1/64 point, origin top left, y down, half-open:
/// its right and bottom edges do not belong to it.
public struct UnitRect: Hashable, Sendable {
  public var x: Int64
  public var y: Int64
  public var width: Int64
  public var height: Int64

  public init(x: Int64, y: Int64, width: Int64, height: Int64) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Points, each edge rounded down to a unit.
  public init(pointsX x: Double, y: Double, width: Double, height: Double) {
    let (left, top) = (Units.floor(points: x), Units.floor(points: y))
    self.init(
      x: left, y: top, width: Units.floor(points: x + width) - left,
      height: Units.floor(points: y + height) - top)
  }

  public var maxX: Int64 { x + width }
  public var maxY: Int64 { y + height }
  public var isEmpty: Bool { width <= 0 || height <= 0 }

  /// The rectangle with edges clamped to 2^53 units on either side, as queries take them.
  var bounded: UnitRect {
    let limit: Int64 = 1 << 53
    func clamped(_ edge: Int64) -> Int64 { min(max(edge, -limit), limit) }
    return UnitRect(
      x: clamped(x), y: clamped(y), width: clamped(maxX) - clamped(x),
      height: clamped(maxY) - clamped(y))
  }

  /// Whether the two share a point; an empty rectangle shares none, touching edges do not count.
  public func intersects(_ other: UnitRect) -> Bool {
    !isEmpty && !other.isEmpty
      && x < other.maxX && other.x < maxX
      && y < other.maxY && other.y < maxY
  }

  public func contains(_ point: UnitPoint) -> Bool {
    x <= point.x && point.x < maxX && y <= point.y && point.y < maxY
  }
}

/// A position in units of 1/64 point, origin top left, y down.
public struct UnitPoint: Hashable, Sendable {
  public var x: Int64
  public var y: Int64

  public init(x: Int64, y: Int64) {
    (self.x, self.y) = (x, y)
  }
}

/// A size in units of 1/64 point.
public struct UnitSize: Hashable, Sendable {
  public var width: Int64
  public var height: Int64

  public init(width: Int64, height: Int64) {
    (self.width, self.height) = (width, height)
  }
}
