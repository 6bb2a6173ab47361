/// A document in which some parts are generated: the lines between `<!-- measured: NAME -->` and
/// `<!-- end -->`. The prose around them is written by hand.
struct MarkedText {
  private(set) var text: String

  init(_ text: String) { self.text = text }

  /// Replaces a part.
  ///
  /// - Parameter lines: The new text, with a line break at its end.
  /// - Throws: ``Failure`` if the document does not have the part exactly once.
  mutating func replace(_ name: String, with lines: String) throws {
    let (begin, end) = ("<!-- measured: \(name) -->\n", "<!-- end -->\n")
    let parts = text.split(separator: begin, omittingEmptySubsequences: false)
    guard parts.count == 2, let after = parts[1].firstRange(of: end) else {
      throw Failure(
        .inputOutput,
        "the document needs exactly one part from '<!-- measured: \(name) -->' to '<!-- end -->'")
    }
    text = parts[0] + begin + "\n" + lines + "\n" + parts[1][after.lowerBound...]
  }
}
