import LayoutGeometry

/// The limit of the distance by which an item, a line or a run advances the following elements.
enum PlacedAdvance {
  /// A bound above the longest content plus the widest line spacing, in units. Numbers from the
  /// file are checked against it, so that sums of a few of them never overflow.
  static let max = Int(Limits.contentLengthMax.units) * 2
}
