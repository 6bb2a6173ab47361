import Foundation
import LayoutGeometry
import Testing

@testable import CollectionLayout

@Suite struct ContainerLengthTests {
  private func plan(_ text: String) throws -> LayoutPlan {
    try LayoutPlan(JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8)))
  }

  private func header(_ value: String, width: String = "390") throws -> Length {
    try plan(#"{"container":{"width":\#(width)},"section":{"header":\#(value)}}"#)
      .section("any", style: nil).boundary.topLength
  }

  @Test(arguments: [
    (#"{"fraction":0.5,"minus":100}"#, "390", 95.0), (#"{"fraction":1}"#, "390.5", 390.5),
    // One unit is lost: a third of nine places is less than a third.
    (#"{"fraction":0.3333333333333333}"#, "390", 129.984375),
    (#"{"fraction":0.333333334}"#, "390", 130), (#"{"fraction":29e-2}"#, "100", 29),
    (#"{"fraction":100}"#, "1000000", 1_000_000), (#"{"fraction":0.1}"#, "2.03125", 0.203125),
  ])
  func aFractionIsExactAndRoundedDown(value: String, width: String, points: Double) throws {
    #expect(try header(value, width: width).points == points)
  }

  @Test(arguments: [
    (#"{"fraction":0.5,"minus":195}"#, "header is 0; the minimum is 0.015625 (in section)"),
    (#"{"fraction":0}"#, "fraction is 0; it must be above 0 (in section.header)"),
    (#"{"fraction":101}"#, "fraction is 101; the limit is 100 (in section.header)"),
    (#"{"fraction":1,"minus":-1}"#, "minus is -1; the minimum is 0 (in section.header)"),
    (#"{"minus":1}"#, "fraction"), (#"{"fraction":1,"peek":1}"#, "unknown member 'peek'"),
    ("true", "'header' must be a number, or an object with fraction and minus"),
    (#"{"fraction":"a"}"#, "fraction"),
  ])
  func anInvalidLengthIsAnErrorThatNamesIt(value: String, message: String) {
    let error = #expect(throws: (any Error).self) { try header(value) }
    #expect(error.map { "\($0)".contains(message) } ?? false, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func everyMemberMayBeRelative() throws {
    let fraction = #"{"fraction":0.001,"minus":900}"#
    for (kind, member) in [
      ("grid", "columnSpacing"), ("waterfall", "lineSpacing"), ("flow", "minimumLineSpacing"),
      ("flow", "minimumInteritemSpacing"), ("carousel", "spacing"), ("carousel", "itemWidth"),
      ("justified", "targetRowLength"), ("grid", "footer"),
    ] {
      let text =
        #"{"container":{"width":390},"section":{"kind":"\#(kind)","\#(member)":\#(fraction)}}"#
      #expect(performing: { try plan(text) }, throws: { "\($0)".contains("\(member) is -899.6") })
    }
    for (member, object, side) in [
      ("inset", #"{"top":\#(fraction)}"#, "top"),
      ("itemSize", #"{"width":1,"height":\#(fraction)}"#, "height"),
      ("background", #"{"kind":"card","inset":{"left":\#(fraction)}}"#, "left"),
    ] {
      let text = #"{"container":{"width":390},"section":{"kind":"flow","\#(member)":\#(object)}}"#
      #expect(performing: { try plan(text) }, throws: { "\($0)".contains("\(side) is -899.6") })
    }
    #expect(throws: ConfigurationError.self) {
      try plan(#"{"container":{"width":390},"sectionSpacing":\#(fraction)}"#)
    }
  }

  @Test func aDefinitionOfAnyWidthIsRejectedOnlyWhereALengthDoesNotFit() throws {
    let text = #"""
      {"container":{"widths":{}},"section":{"kind":"flow",
       "itemSize":{"width":{"fraction":0.5,"minus":100},"height":{"fraction":1.3}}}}
      """#
    let definition = try JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
    try definition.check()
    func variant(_ width: Length) throws -> SectionPlan {
      try LayoutPlan(definition.configuration(of: VariantSize(cross: width, main: nil)))
        .section("any", style: nil)
    }
    guard case .lines(.flow(let flow)) = try variant(400).kind else {
      Issue.record("no flow")
      return
    }
    #expect(flow.itemSize == .fixed(Size(width: 100, height: 520)))
    #expect(performing: { try variant(200) }, throws: { "\($0)".contains("width is 0") })
  }
}
