extension Length {
  /// Creates the length nearest to a number of units, halves up, of any number:
  /// what lies beyond ±2^53 units, where a `Double` no longer counts every unit,
  /// becomes that bound, and what is no number the upper one.
  init(nearestUnits number: Double) {
    let bound = 0x1p53
    self.init(roundingUnits: max(-bound, min(bound, number)))
  }
}
