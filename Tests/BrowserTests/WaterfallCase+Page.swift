import CollectionLayout
import LayoutGeometry

extension WaterfallCase {
  /// The waterfall in CSS.
  var page: BrowserPage {
    var page = BrowserPage()
    let gaps = axes.gapNames
    page.container =
      axes.declarations(across: containerAcross, inset: inset)
      + "display:grid-lanes;flow-tolerance:\((options.tolerance ?? .zero).css);"
      + "grid-template-\(tracks):\(template);"
      + "\(gaps.across):\((options.columnSpacing ?? 0).fixed.css);"
      + "\(gaps.along):\((options.lineSpacing ?? 0).fixed.css);"
    if let least = options.minimumLength { page.item += "min-\(lengthName):\(least.css);" }
    if let most = options.maximumLength { page.item += "max-\(lengthName):\(most.css);" }
    page.items = items.map { place(span: $0.span) + length(of: $0.size, span: $0.span) }
    return page
  }

  /// The nominal width of a span of columns.
  func nominalWidth(span: Int) -> UnitFraction {
    let columns = Int64(columnCount)
    let span = Int64(clamped(span))
    let spacing = (options.columnSpacing ?? 0).fixed.units
    let tracks = available.units - (columns - 1) * spacing
    return UnitFraction(
      numerator: span * tracks + (span - 1) * spacing * columns, denominator: columns)
  }

  private var tracks: String { axes.hasColumns ? "rows" : "columns" }

  private var lengthName: String { axes.scrollDirection == .vertical ? "height" : "width" }

  /// The tracks: a number of them, or as many as fit, but always one.
  private var template: String {
    guard let least = options.minimumColumnWidth else {
      return "repeat(\(columnCount),minmax(0,1fr))"
    }
    return "repeat(auto-fill,minmax(min(\(least.css),100%),1fr))"
  }

  private func clamped(_ span: Int) -> Int {
    span == 0 ? columnCount : min(span, columnCount)
  }

  /// A span and never `1 / -1`: after an item with explicit lines CSS leaves the cursor where
  /// it was, as the working group resolved in csswg-drafts issue 13987.
  private func place(span: Int) -> String {
    "grid-\(axes.hasColumns ? "row" : "column"):span \(clamped(span));"
  }

  private func length(of size: Size, span: Int) -> String {
    if lengths != .explicit { return ratio(of: size) }
    let turned = axes.turned(size)
    switch options.itemLength ?? .aspect {
    case .natural: return "\(lengthName):\(turned.height.css);"
    case .fixed(let length): return "\(lengthName):\(length.css);"
    case .aspect:
      let units = nominalWidth(span: span).scaled(turned.height.units, turned.width.units)
      return "\(lengthName):\(Length(units: max(1, units)).css);"
    }
  }

  private func ratio(of size: Size) -> String {
    "aspect-ratio:\(size.width.points)/\(size.height.points);"
  }
}

/// A number of units that need not be whole.
struct UnitFraction {
  var numerator: Int64
  var denominator: Int64

  /// The fraction times another, rounded down.
  func scaled(_ dividend: Int64, _ divisor: Int64) -> Int64 {
    numerator * dividend / (denominator * divisor)
  }
}
