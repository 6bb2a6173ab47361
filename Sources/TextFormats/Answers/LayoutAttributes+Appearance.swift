package import LayoutCache

extension LayoutAttributes {
  /// The transform as text for people, with numbers to three decimals; `nil` for the identity.
  package var transformDescription: String? {
    if transform3D.isIdentity { return nil }
    guard let transform = transform3D.affine else { return "in perspective" }
    if transform == Transform(scale: transform.a) { return "scale \(decimal(transform.a))" }
    let numbers = [transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty]
    return "matrix \(numbers.map(decimal).joined(separator: " "))"
  }

  /// The differences from an element's default appearance, as text for people; empty if there
  /// are none.
  package var appearanceDescription: String {
    let alpha = alpha == 1 ? nil : "alpha \(decimal(alpha))"
    return [transformDescription, alpha, isHidden ? "hidden" : nil]
      .compactMap(\.self).joined(separator: ", ")
  }
}

/// Returns a number to three decimals, without trailing zeros.
private func decimal(_ number: Double) -> String {
  let thousandths = (number * 1000).rounded()
  // Beyond that a double has no decimals to lose.
  guard abs(thousandths) < 1e15 else { return String(number) }
  return thousandths.remainder(dividingBy: 1000) == 0
    ? String(Int(thousandths / 1000)) : String(thousandths / 1000)
}
