import TestSupport
import Testing

/// One way to lay a section out, in a container of 200 x 150 points, to hold every kind
/// to the same.
struct KindExample: CustomTestStringConvertible, Sendable {
  var name: String
  /// The members of `section`, without braces.
  var members: String

  var testDescription: String { name }

  static let waterfall = KindExample(
    name: "waterfall",
    members: #""kind":"waterfall","columns":3,"columnSpacing":3,"lineSpacing":5"#)
  static let exactWaterfall = KindExample(
    name: "exact waterfall", members: waterfall.members + #","assignment":"exact""#)
  static let flow = KindExample(
    name: "flow",
    members: #""kind":"flow","minimumInteritemSpacing":3,"minimumLineSpacing":5"#)
  static let equalFlow = KindExample(
    name: "flow of equal items",
    members: flow.members + #","itemSize":{"width":60,"height":40}"#)
  static let scaledFlow = KindExample(
    name: "flow of scaled items",
    members: flow.members + #","lineLength":40,"lineAlignment":"leading""#)
  static let grid = KindExample(
    name: "grid",
    members: #""kind":"grid","columns":3,"columnSpacing":3,"lineSpacing":5"#)
  static let justified = KindExample(
    name: "justified", members: #""kind":"justified","targetRowLength":50,"spacing":5"#)
  static let filledJustified = KindExample(
    name: "justified to the end", members: justified.members + #","lastRow":"fill""#)
  static let circle = KindExample(
    name: "circle", members: #""kind":"circle","itemSize":{"width":20,"height":30}"#)

  static let all = [
    waterfall, exactWaterfall, flow, equalFlow, scaledFlow, grid, justified, filledJustified,
    circle,
  ]
  /// Those whose content grows with their items.
  static let growing = all.filter { $0.name != "circle" }
  /// Those that take preferred lengths.
  static let measured = [waterfall, exactWaterfall, flow, scaledFlow]
  /// Those of lines.
  static let lines = [flow, equalFlow, scaledFlow, justified, filledJustified]

  /// A configuration's text.
  ///
  /// - Parameters:
  ///   - extra: Further members of `section`, each behind a comma.
  ///   - rest: Further members of the configuration, each behind a comma.
  func configuration(
    width: Double = 200, height: Double = 150, extra: String = "", rest: String = ""
  ) -> String {
    """
    {"container":{"width":\(width),"height":\(height)},"section":{\(members)\(extra)}\(rest)}
    """
  }
}

extension OracleSection {
  /// A section of items of many proportions, the same for the same key and count.
  static func mixed(_ key: String, count: Int) -> OracleSection {
    OracleSection(
      key,
      sizes: (0..<count).map { index -> (Double, Double) in
        let (width, height) = (20 + index * 7919 % 90, 15 + index * 104_729 % 70)
        return (Double(width), Double(height))
      })
  }
}
