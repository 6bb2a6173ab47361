import LayoutGeometry

extension Length {
  /// A whole number of points.
  static func points(_ points: Int64) -> Length { Length(units: points * unitsPerPoint) }
}
