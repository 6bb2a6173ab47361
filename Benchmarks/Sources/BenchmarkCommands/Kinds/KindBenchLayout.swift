import CollectionLayout
import LayoutGeometry

/// The layouts that `--kinds` measures, in a container of 1,000 by 1,000 points.
/// The names are those of the JSON rows.
///
/// The items are 100 points wide and 100 to 499 high.
enum KindBenchLayout: String, CaseIterable {
  /// Items scaled to one length, with many widths: after a change, only a few following lines
  /// differ.
  case flow
  /// Items of one width and many lengths: after an insert every line differs, to the section's
  /// end. This is the worst case.
  case flowOfOneWidth
  case justified
  case grid

  var title: String {
    switch self {
    case .flow: "flow"
    case .flowOfOneWidth: "flow, items of one width"
    case .justified: "justified"
    case .grid: "grid"
    }
  }

  var configuration: LayoutConfiguration {
    var section = SectionOptions()
    switch self {
    case .flow:
      section.kind = .flow
      section.lineLength = .points(100)
    case .flowOfOneWidth:
      section.kind = .flow
    case .justified:
      section.kind = .justified
      section.targetRowLength = .points(100)
    case .grid:
      section.kind = .grid
      section.columns = .equal(BenchFeed.columns)
    }
    return LayoutConfiguration(
      container: .init(width: BenchFeed.side, height: BenchFeed.side), section: section)
  }
}

/// The operations measured for each layout. The names are those of the JSON rows.
enum KindBenchOperation: String, CaseIterable {
  case layOut
  case visibleRect
  case resizeMiddle
  case insertStart

  var title: String {
    switch self {
    case .layOut: "lay out from scratch"
    case .visibleRect: "visible rect, prepared snapshot"
    case .resizeMiddle: "resize in the middle"
    case .insertStart: "insert one at the start"
    }
  }

  /// The limit of the ratio to laying out from scratch; `nil` without a limit, as for a grid, for
  /// which little is computed.
  func scratchRatioMax(of layout: KindBenchLayout) -> Double? {
    self == .insertStart && layout != .grid ? 1 : nil
  }
}
