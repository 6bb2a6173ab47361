extension Rect {
  /// The rectangle at a part of the way from this one to another: each edge is rounded down
  /// to a whole unit.
  ///
  /// - Parameter progress: From 0, which is this rectangle, to 1, which is the other.
  package func interpolated(to end: Rect, progress: Double) -> Rect {
    let left = minX.interpolated(to: end.minX, progress: progress)
    let top = minY.interpolated(to: end.minY, progress: progress)
    return Rect(
      x: left, y: top, width: maxX.interpolated(to: end.maxX, progress: progress) - left,
      height: maxY.interpolated(to: end.maxY, progress: progress) - top)
  }
}
