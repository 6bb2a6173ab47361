import ArgumentParser
import LayoutCache
import TextFormats

/// The scroll positions of carousels.
struct CarouselOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "How far a carousel is scrolled from its leading edge, in points; repeatable",
      valueName: "section=points"))
  var offset: [String] = []

  /// The stated scroll positions.
  ///
  /// - Throws: A usage error for another form.
  var offsets: CarouselOffsets {
    get throws {
      do {
        return try CarouselOffsets(texts: offset)
      } catch let error as CoordinateError {
        throw ValidationError("--offset: \(error)")
      }
    }
  }
}
