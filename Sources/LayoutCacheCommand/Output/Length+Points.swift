import LayoutGeometry

extension Length {
  /// A length of whole points, for constants.
  static func points(_ count: Int64) -> Length { Length(units: count * unitsPerPoint) }
}
