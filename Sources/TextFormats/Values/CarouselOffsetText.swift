package import LayoutCache
import LayoutGeometry

extension CarouselOffsets {
  /// Parses scroll positions, each as "SECTION=POINTS". The last equals sign separates the two,
  /// because keys may contain others.
  ///
  /// - Throws: `CoordinateError` for another form, or a section that occurs twice;
  ///   `LayoutCacheError` with `limit` for more than ``Limits/carouselOffsetsMax``.
  package init(texts: [String]) throws {
    self.init()
    do {
      try Limits.check(
        texts.count, in: 0...Limits.carouselOffsetsMax, as: "number of offsets")
    } catch {
      throw LayoutCacheError(.limit(error))
    }
    var keys: Set<ExactKey> = []
    for text in texts {
      guard let separator = text.lastIndex(of: "="), separator > text.startIndex else {
        throw CoordinateError(
          description: "expected SECTION=POINTS, not '\(excerpt(text))'")
      }
      let key = String(text[..<separator])
      guard keys.insert(ExactKey(key)).inserted else {
        throw CoordinateError(description: "section '\(excerpt(key))' occurs twice")
      }
      let points = try decimalNumber(text[text.index(after: separator)...])
      // Queries clamp an offset to its carousel's range, which is far shorter.
      self[key] = Length(points: points) ?? (points < 0 ? .zero : Limits.contentLengthMax)
    }
  }
}
