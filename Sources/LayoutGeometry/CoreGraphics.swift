#if canImport(CoreGraphics)
  public import CoreGraphics

  // Every length is exact as a CGFloat where that is a Double; the other way each edge is rounded
  // down to a whole unit.

  extension Point {
    /// Creates the place of a point, as by ``init(pointsX:y:)``.
    public init?(_ point: CGPoint) { self.init(pointsX: Double(point.x), y: Double(point.y)) }
  }

  extension Size {
    /// Creates the size of another one, as by ``init(pointsWidth:height:)``.
    public init?(_ size: CGSize) {
      self.init(pointsWidth: Double(size.width), height: Double(size.height))
    }
  }

  extension Rect {
    /// Creates the rectangle of another one, as by ``init(pointsX:y:width:height:)``. One with a
    /// negative width or height is standardized.
    public init?(_ rect: CGRect) {
      self.init(
        pointsX: Double(rect.minX), y: Double(rect.minY), width: Double(rect.width),
        height: Double(rect.height))
    }
  }

  extension CGPoint {
    /// Creates the point of a place, in points.
    public init(_ point: Point) { self.init(x: point.x.points, y: point.y.points) }
  }

  extension CGSize {
    /// Creates the size of another one, in points.
    public init(_ size: Size) { self.init(width: size.width.points, height: size.height.points) }
  }

  extension CGRect {
    /// Creates the rectangle of another one, in points.
    public init(_ rect: Rect) { self.init(origin: CGPoint(rect.origin), size: CGSize(rect.size)) }
  }
#endif
