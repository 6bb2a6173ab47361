#if canImport(CoreGraphics)
  public import CoreGraphics

  // If CGFloat is a Double, it represents every length exactly; in the other direction each
  // edge is rounded down to a whole unit.

  extension Point {
    /// Creates a point from a Core Graphics point, as by ``init(pointsX:y:)``.
    public init?(_ point: CGPoint) { self.init(pointsX: Double(point.x), y: Double(point.y)) }
  }

  extension Size {
    /// Creates a size from a Core Graphics size, as by ``init(pointsWidth:height:)``.
    public init?(_ size: CGSize) {
      self.init(pointsWidth: Double(size.width), height: Double(size.height))
    }
  }

  extension Rect {
    /// Creates a rectangle from a Core Graphics rectangle, as by
    /// ``init(pointsX:y:width:height:)``. Negative widths and heights are standardized.
    public init?(_ rect: CGRect) {
      self.init(
        pointsX: Double(rect.minX), y: Double(rect.minY), width: Double(rect.width),
        height: Double(rect.height))
    }
  }

  extension CGPoint {
    /// Creates a Core Graphics point, in points.
    public init(_ point: Point) { self.init(x: point.x.points, y: point.y.points) }
  }

  extension CGSize {
    /// Creates a Core Graphics size, in points.
    public init(_ size: Size) { self.init(width: size.width.points, height: size.height.points) }
  }

  extension CGRect {
    /// Creates a Core Graphics rectangle, in points.
    public init(_ rect: Rect) { self.init(origin: CGPoint(rect.origin), size: CGSize(rect.size)) }
  }
#endif
