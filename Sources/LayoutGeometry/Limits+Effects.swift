extension Limits {
  /// The maximum scale of an effect.
  public static let effectScaleMax = 100.0
  /// The maximum angle of an effect, in degrees: at 90 a cell would be seen edge-on.
  public static let effectAngleMax = 89.0

  /// Checks that an effect's scale is above 0 and at most ``effectScaleMax``.
  ///
  /// - Throws: ``LimitError`` if it is not, or is not a finite number.
  package static func check(
    effectScale scale: Double, as subject: LimitError.Subject
  ) throws(LimitError) {
    if scale.isFinite && scale <= 0 {
      throw LimitError(.notPositive, subject, limit: 0, value: scale)
    }
    try check(scale, in: 0...effectScaleMax, as: subject)
  }
}
