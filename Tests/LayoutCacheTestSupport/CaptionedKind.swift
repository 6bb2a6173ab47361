package import CollectionLayout
package import LayoutGeometry

/// Cards with the length of a picture and a caption, in points: `{"caption":20}`. Wide cards span
/// two columns. Some spans and lengths are out of range and must be clamped.
package struct CaptionedKind: WaterfallSectionLayout {
  package static let kind = "captioned"
  private let caption: Length

  package struct Refusal: Error, CustomStringConvertible {
    package var description: String { "no card without a caption" }
  }

  package init(options: [String: ConfigurationValue]) throws {
    guard let points = options["caption"]?.number else { throw Refusal() }
    caption = .points(points)
  }

  package func columnSpan(of item: LayoutItem, columns: Int) -> Int {
    if item.size.width > 50 { return columns + 1 }
    if item.size.width < 5 { return -3 }
    return item.size.width > 40 ? 2 : item.columnSpan
  }

  package func length(of item: LayoutItem, width: Length) -> Length {
    if item.size.height == 13 { return -5 }
    if item.size.height == 17 { return Length(units: .max) }
    return Length(units: width.units * item.size.height.units / item.size.width.units) + caption
  }
}
