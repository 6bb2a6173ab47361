import CollectionLayout
import Foundation
import LayoutGeometry
import Testing

@Suite struct BreakpointTests {
  private func decode(_ text: String) throws -> LayoutConfiguration {
    try JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
  }

  private func columnCount(of section: SectionPlan) -> Int {
    if case .waterfall(let plan) = section.kind { plan.tracks.count } else { 0 }
  }

  @Test(arguments: [(299.984375, 2, 44.0), (300, 3, 44), (699, 3, 44), (700, 3, 0), (1000, 4, 0)])
  func theLastBreakpointThatTheContainerReachesApplies(
    width: Double, columns: Int, header: Double
  ) throws {
    let plan = try LayoutPlan(
      decode(
        """
        {"container":{"width":\(width)},"section":{"columns":2,"header":44},
         "breakpoints":[{"from":300,"columns":3},{"from":700,"minimumColumnWidth":220,"header":0}]}
        """))
    #expect(columnCount(of: plan.section("any", style: nil)) == columns)
    #expect(plan.section("any", style: nil).boundary.topLength.points == header)
  }

  @Test func theCrossLengthCountsInAHorizontalLayout() throws {
    let plan = try LayoutPlan(
      decode(
        """
        {"container":{"width":1000,"height":200},"scrollDirection":"horizontal",
         "section":{"columns":2},"breakpoints":[{"from":500,"columns":3}]}
        """))
    #expect(columnCount(of: plan.section("any", style: nil)) == 2)
  }

  @Test func theOverrideOfASectionPrevailsOverABreakpoint() throws {
    let configuration = try decode(
      """
      {"container":{"width":800},"section":{"columns":2,"header":10},
       "breakpoints":[{"from":0,"columns":3,"header":20}],
       "sections":{"a":{"columns":5},"b":{"header":30}}}
      """)
    let plan = try LayoutPlan(configuration)
    #expect(columnCount(of: plan.section("a", style: nil)) == 5)
    #expect(plan.section("a", style: nil).boundary.topLength == 20)
    #expect(columnCount(of: plan.section("b", style: nil)) == 3)
    #expect(plan.section("b", style: nil).boundary.topLength == 30)
    #expect(configuration.options(ofSection: "b").columns == 3)
    #expect(configuration.options(ofSection: "other").header == 20)
  }

  @Test(arguments: [
    (#"[{"from":700,"columns":3},{"from":700,"columns":4}]"#, "breakpoints must ascend"),
    (#"[{"from":700},{"from":300}]"#, "'from' is 300, after 700 (in breakpoints.1)"),
    (#"[{"columns":3}]"#, "'from' is missing (in breakpoints.0)"),
    (#"[{"from":-1}]"#, "from"), (#"[{"from":1000001}]"#, "1000000"),
    (#"[{"from":1,"colums":3}]"#, "did you mean 'columns'"),
    // Every breakpoint is checked with every style.
    ("[" + (0...32).map { #"{"from":\#($0)}"# }.joined(separator: ",") + "]", "the limit is 32"),
    // Not reached by this container, and checked all the same.
    (#"[{"from":900,"columns":0}]"#, "(in breakpoints.0)"),
  ])
  func invalidBreakpointsAreRejectedByPlace(breakpoints: String, message: String) {
    #expect {
      try LayoutPlan(decode(#"{"container":{"width":390},"breakpoints":\#(breakpoints)}"#))
    } throws: { error in
      guard let error = error as? ConfigurationError else { return false }
      return error.description.contains(message)
    }
  }

  @Test func aBreakpointThatTheContainerHasNoRoomForIsAcceptedUntilItApplies() throws {
    let text = #"""
      {"container":{"width":WIDTH},"section":{"columns":2},
       "breakpoints":[{"from":600,"columns":40,"columnSpacing":20}]}
      """#
    _ = try LayoutPlan(decode(text.replacing("WIDTH", with: "390")))
    #expect(throws: ConfigurationError.self) {
      try LayoutPlan(decode(text.replacing("WIDTH", with: "700")))
    }
  }
}
