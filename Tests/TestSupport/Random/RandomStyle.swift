/// The names of styles that random feeds and configurations share, so that most sections with a
/// style have options for it. Two differ only in Unicode normalisation.
enum RandomStyle {
  static let names = ["hero", "tiles", "\u{E9}tude", "e\u{301}tude", "a b/c"]

  /// A name; rarely one that no configuration has.
  static func name(using generator: inout SeededGenerator) -> String {
    generator.oneIn(12) ? "unknown" : names.randomElement(using: &generator)!
  }
}
