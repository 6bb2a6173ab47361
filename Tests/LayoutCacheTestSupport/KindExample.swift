package import TestSupport
import Testing

/// A way to lay out a section, in a container of 200 x 150 points, for tests of every kind.
package struct KindExample: CustomTestStringConvertible, Sendable {
  package var name: String
  /// The members of `section`, without braces.
  package var members: String

  package init(name: String, members: String) {
    (self.name, self.members) = (name, members)
  }

  package var testDescription: String { name }

  package static let waterfall = KindExample(
    name: "waterfall",
    members: #""kind":"waterfall","columns":3,"columnSpacing":3,"lineSpacing":5"#)
  package static let exactWaterfall = KindExample(
    name: "exact waterfall", members: waterfall.members + #","assignment":"exact""#)
  package static let flow = KindExample(
    name: "flow", members: #""kind":"flow","minimumInteritemSpacing":3,"minimumLineSpacing":5"#)
  package static let equalFlow = KindExample(
    name: "flow of equal items",
    members: flow.members + #","itemSize":{"width":60,"height":40}"#)
  package static let scaledFlow = KindExample(
    name: "flow of scaled items",
    members: flow.members + #","lineLength":40,"lineAlignment":"leading""#)
  package static let grid = KindExample(
    name: "grid", members: #""kind":"grid","columns":3,"columnSpacing":3,"lineSpacing":5"#)
  package static let justified = KindExample(
    name: "justified", members: #""kind":"justified","targetRowLength":50,"spacing":5"#)
  package static let filledJustified = KindExample(
    name: "justified to the end", members: justified.members + #","lastRow":"fill""#)
  package static let matchedJustified = KindExample(
    name: "justified, matching", members: justified.members + #","lastRow":"match""#)
  package static let carousel = KindExample(
    name: "carousel", members: #""kind":"carousel","spacing":5"#)
  package static let equalCarousel = KindExample(
    name: "carousel of equal items",
    members: carousel.members
      + #","itemLength":40,"itemWidth":{"fraction":0.9,"peek":10},"crossAlignment":"top""#)
  package static let circle = KindExample(
    name: "circle", members: #""kind":"circle","itemSize":{"width":20,"height":30}"#)

  package static let all = [
    waterfall, exactWaterfall, flow, equalFlow, scaledFlow, grid, justified, filledJustified,
    matchedJustified, circle,
  ]
  /// The kinds with cells outside the container, which queries for a rectangle do not return.
  package static let carousels = [carousel, equalCarousel]
  package static let every = all + carousels
  /// The kinds whose content grows with the items.
  package static let growing = all.filter { $0.name != "circle" }
  /// The kinds that accept preferred lengths.
  package static let measured = [
    waterfall, exactWaterfall, flow, scaledFlow, carousel, equalCarousel,
  ]
  /// A configuration's text.
  ///
  /// - Parameters:
  ///   - extra: Further members of `section`, each after a comma.
  ///   - rest: Further members of the configuration, each after a comma.
  package func configuration(
    width: Double = 200, height: Double = 150, extra: String = "", rest: String = ""
  ) -> String {
    """
    {"container":{"width":\(width),"height":\(height)},"section":{\(members)\(extra)}\(rest)}
    """
  }
}

extension OracleSection {
  /// A section of items of many proportions, which depend only on the key and the count.
  package static func mixed(_ key: String, count: Int) -> OracleSection {
    OracleSection(
      key,
      sizes: (0..<count).map { index -> (Double, Double) in
        let (width, height) = (20 + index * 7919 % 90, 15 + index * 104_729 % 70)
        return (Double(width), Double(height))
      })
  }
}
