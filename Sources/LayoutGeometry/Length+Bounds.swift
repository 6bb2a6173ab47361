// Values that a caller has computed, and that arithmetic is about to be done with.

extension Length {
  /// The length held to ±2^53 units, which are what numbers of points can give: sums of a few
  /// such lengths, and of these and a content's, do not overflow.
  package var bounded: Length { Length(units: max(-(1 << 53), min(1 << 53, units))) }
}

extension Point {
  /// The place with both numbers held to ±2^53 units.
  package var bounded: Point { Point(x: x.bounded, y: y.bounded) }
}

extension Size {
  /// The size with both lengths held to ±2^53 units.
  package var bounded: Size { Size(width: width.bounded, height: height.bounded) }
}

extension Rect {
  /// The rectangle with each of its edges held to ±2^53 units: no content reaches so far, so
  /// that it intersects what it did before.
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
