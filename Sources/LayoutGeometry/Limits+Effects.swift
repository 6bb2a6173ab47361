extension Limits {
  /// The greatest scale that an effect may ask for.
  public static let effectScaleMax = 100.0
  /// The greatest angle that an effect may ask for, in degrees: at 90 a cell is seen
  /// from its edge.
  public static let effectAngleMax = 89.0

  /// Holds an effect's scale to what is above 0 and at most ``effectScaleMax``.
  ///
  /// - Throws: ``LimitError`` where it is not, or is no finite number.
  package static func check(
    effectScale scale: Double, as subject: LimitError.Subject
  ) throws(LimitError) {
    if scale.isFinite && scale <= 0 {
      throw LimitError(.notPositive, subject, limit: 0, value: scale)
    }
    try check(scale, in: 0...effectScaleMax, as: subject)
  }
}
