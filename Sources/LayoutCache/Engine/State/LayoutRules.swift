/// The rules by which layouts are laid out and follow changes: rounding, the choice of
/// columns, when a section is evened out, and by how much at a time.
enum LayoutRules {
  /// Rises with every change by which a stored result would no longer be what the log and
  /// the items lead to. A result of another version is laid out again.
  static let version = 1
}
