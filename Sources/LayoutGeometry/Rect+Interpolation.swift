extension Rect {
  /// Returns the rectangle interpolated from this one to another, with each edge rounded down
  /// to a whole unit. Edges beyond ±2^53 units are clamped.
  ///
  /// - Parameter progress: From 0, which is this rectangle, to 1, which is the other.
  package func interpolated(to end: Rect, progress: Double) -> Rect {
    let (start, end) = (bounded, end.bounded)
    let left = start.minX.interpolated(to: end.minX, progress: progress)
    let top = start.minY.interpolated(to: end.minY, progress: progress)
    return Rect(
      x: left, y: top, width: start.maxX.interpolated(to: end.maxX, progress: progress) - left,
      height: start.maxY.interpolated(to: end.maxY, progress: progress) - top)
  }
}
