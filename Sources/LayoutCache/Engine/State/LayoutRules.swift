/// The rules by which layouts are laid out and follow changes: rounding, the choice of columns,
/// when a section is rebalanced, and how many items at a time.
package enum LayoutRules {
  /// The version. It increases with every change to the rules after which a stored result would
  /// differ from the result that follows from the log and the items. A result of another version
  /// is laid out again. A shared log requires one version of all its nodes.
  package static let version = 2
}
