package import LayoutCache
import LayoutGeometry

extension CarouselOffsets {
  /// Returns the key of the section in a text of the form "SECTION=POINTS"; `nil` for another form.
  package static func sectionKey(in text: String) -> String? {
    guard let separator = text.lastIndex(of: "="), separator > text.startIndex else { return nil }
    return String(text[..<separator])
  }

  /// Parses scroll positions, each as "SECTION=POINTS". The last equals sign separates the two,
  /// because keys may contain others.
  ///
  /// - Throws: `ValueTextError` for another form, or a section that occurs twice;
  ///   `LayoutCacheError` with `limit` for more than 256.
  package init(texts: [String]) throws {
    self.init()
    do {
      try Limits.check(texts.count, in: 0...Limits.carouselOffsetsMax, as: "number of offsets")
    } catch {
      throw LayoutCacheError(.limit(error))
    }
    var keys: Set<ExactKey> = []
    for text in texts {
      guard let key = Self.sectionKey(in: text) else {
        throw ValueTextError(description: "expected SECTION=POINTS, not '\(excerpt(text))'")
      }
      guard keys.insert(ExactKey(key)).inserted else {
        throw ValueTextError(description: "section '\(excerpt(key))' occurs twice")
      }
      let points = try decimalNumber(text.dropFirst(key.count + 1))
      // Queries clamp an offset to its carousel's range, which is far shorter.
      self[key] = Length(points: points) ?? (points < 0 ? .zero : Limits.contentLengthMax)
    }
  }
}
