import ArgumentParser
import LayoutCache
import LayoutGeometry
import TextFormats

/// The scroll positions of carousels.
struct CarouselOptions: ParsableArguments {
  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp(
      "How far a carousel is scrolled from its leading edge, in points; repeatable",
      valueName: "section=points"))
  var offset: [String] = []

  /// Returns the stated scroll positions. Those of unknown sections are ignored, as over HTTP;
  /// standard error names them.
  ///
  /// - Throws: A usage error for another form.
  func offsets(of dataset: String, in cache: LayoutCache) throws -> CarouselOffsets {
    let offsets = try offsets
    for key in offset.compactMap(CarouselOffsets.sectionKey(in:)) {
      guard try cache.section(forKey: key, of: dataset) == nil else { continue }
      StandardError.writeLine(
        clauses(
          "warning: no section '\(excerpt(key))' in dataset '\(excerpt(dataset))'",
          "its offset is ignored", NearNames(cache).section(key, of: dataset)))
    }
    return offsets
  }

  /// The stated scroll positions.
  ///
  /// - Throws: A usage error for another form.
  var offsets: CarouselOffsets {
    get throws {
      do {
        return try CarouselOffsets(texts: offset)
      } catch let error as ValueTextError {
        throw ValidationError("--offset: \(error)")
      }
    }
  }
}
