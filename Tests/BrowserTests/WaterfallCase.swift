import CollectionLayout
import LayoutCache
import LayoutGeometry
import TestSupport

/// A random waterfall with `ties: cursor`, and its equivalent as `display: grid-lanes`.
struct WaterfallCase: PageCase {
  /// The page's notation of an item's length.
  enum Lengths {
    /// In CSS pixels, computed from the rules.
    case explicit
    /// By `aspect-ratio`, with sizes that give a whole number of units for every length, so
    /// that nothing is rounded.
    case exactRatios
    /// By `aspect-ratio` with any sizes, in equally wide columns.
    case ratiosInEqualColumns
    /// By `aspect-ratio` with any sizes.
    case ratios
  }

  let axes: PageAxes
  let containerAcross: Length
  let inset: EdgeInsets
  var options: SectionOptions
  let columnCount: Int
  let items: [(size: Size, span: Int)]
  let lengths: Lengths
  let origin: String

  init(origin: String, lengths: Lengths, using generator: inout SeededGenerator) {
    (self.origin, self.lengths) = (origin, lengths)
    var axes = generator.axes()
    // If the ratio gives a length along the lines of text, a browser computes the length across
    // them back from that, and rounds it a second time.
    if lengths == .ratios || lengths == .ratiosInEqualColumns { axes.turnsWriting = true }
    self.axes = axes
    inset = generator.insets()
    var options = SectionOptions()
    options.kind = .waterfall
    options.inset = ContainerInsets(inset)
    options.ties = .cursor
    options.assignment = generator.oneIn(2) ? .stable : .exact
    options.lineSpacing = .fixed(generator.length(0...20))
    options.tolerance = [Length.zero, generator.length(0...20), generator.length(0...300)]
      .randomElement(using: &generator)
    let insetAcross =
      axes.scrollDirection == .vertical ? inset.left + inset.right : inset.top + inset.bottom
    let count = Self.columnCount(using: &generator)
    switch lengths {
    case .ratiosInEqualColumns:
      let column = generator.length(60...400)
      let spacing = generator.length(0...8)
      containerAcross = insetAcross + column * count + spacing * (count - 1)
      options.columns = .equal(count)
      options.columnSpacing = .fixed(spacing)
      items = Self.items(axes, countMax: 60, using: &generator)
    case .explicit, .ratios:
      containerAcross = generator.length(400...1200)
      options.columnSpacing = .fixed(generator.length(0...8))
      if generator.oneIn(4) {
        options.minimumColumnWidth = generator.length(40...500)
      } else {
        options.columns = .equal(count)
      }
      items = Self.items(axes, countMax: lengths == .explicit ? 500 : 60, using: &generator)
      if lengths == .explicit {
        Self.addLengths(to: &options, itemCount: items.count, using: &generator)
      }
    case .exactRatios:
      // All the widths of the items below divide sixty units.
      let column = Length(units: 60 * Int64.random(in: 20...60, using: &generator))
      let spacing = Length(units: 60 * Int64.random(in: 0...8, using: &generator))
      containerAcross = insetAcross + column * count + spacing * (count - 1)
      options.columns = .equal(count)
      options.columnSpacing = .fixed(spacing)
      items = Self.exactItems(axes, using: &generator)
    }
    if let least = options.minimumColumnWidth, let spacing = options.columnSpacing?.fixed {
      let available = containerAcross - insetAcross
      columnCount = max(1, Int((available + spacing).units / (least + spacing).units))
    } else {
      columnCount = count
    }
    self.options = options
  }

  func makeItems() throws -> [Item] {
    try items.enumerated().map {
      try Item(
        key: "\($0)", width: $1.size.width.points, height: $1.size.height.points,
        columnSpan: $1.span)
    }
  }
}
