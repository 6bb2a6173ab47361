extension Limits {
  /// The maximum scale of an effect.
  package static let effectScaleMax = 100.0
  /// The maximum angle of an effect, in degrees: at 90 a cell would be seen edge-on.
  package static let effectAngleMax = 89.0

  /// The maximum width of a carousel's items as a fraction of the container.
  package static let fractionMax = 100.0

  /// Checks that a fraction of the container is above 0 and at most ``fractionMax``.
  ///
  /// - Throws: ``LimitError`` if it is not, or is not a finite number.
  package static func check(fraction: Double) throws(LimitError) {
    if fraction.isFinite && fraction <= 0 {
      throw LimitError(.notPositive, "fraction", limit: 0, value: fraction)
    }
    try check(fraction, in: 0...fractionMax, as: "fraction")
  }

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
