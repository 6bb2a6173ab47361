// Bounds for values computed by a caller, before arithmetic.

extension Length {
  /// The length clamped to ±2^53 units, the range of conversions from points: sums of a few
  /// such lengths and a content's length do not overflow.
  package var bounded: Length { Length(units: max(-(1 << 53), min(1 << 53, units))) }
}

extension Point {
  /// The point with both coordinates clamped to ±2^53 units.
  package var bounded: Point { Point(x: x.bounded, y: y.bounded) }
}

extension Size {
  /// The size with both lengths clamped to ±2^53 units.
  package var bounded: Size { Size(width: width.bounded, height: height.bounded) }
}

extension Rect {
  /// The rectangle with each edge clamped to ±2^53 units. No content extends that far, so it
  /// intersects the same content.
  package var bounded: Rect {
    let (left, top) = (minX.bounded, minY.bounded)
    return Rect(
      x: left, y: top, width: Self.end(minX, size.width) - left,
      height: Self.end(minY, size.height) - top)
  }

  private static func end(_ start: Length, _ length: Length) -> Length {
    let (units, overflow) = start.units.addingReportingOverflow(length.units)
    if overflow { return Length(units: length.units < 0 ? .min : .max).bounded }
    return Length(units: units).bounded
  }
}
