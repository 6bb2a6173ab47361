import LayoutGeometry

/// How far an item, a line or a run of them may move what comes behind.
enum PlacedAdvance {
  /// More than the longest content and the widest line spacing, in units: numbers from
  /// the file are held to it, so that sums of some of them never overflow.
  static let max = Int(Limits.contentLengthMax.units) * 2
}
