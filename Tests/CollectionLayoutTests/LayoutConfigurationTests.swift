import CollectionLayout
import Foundation
import LayoutGeometry
import Testing

@Suite struct LayoutConfigurationTests {
  private func decode(_ text: String) throws -> LayoutConfiguration {
    try JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
  }

  private func plan(_ text: String) throws -> LayoutPlan { try LayoutPlan(decode(text)) }

  @Test(arguments: [
    #"{}"#, #"{"container":{"height":844}}"#,
    #"{"container":{"width":390},"scrollDirection":"horizontal"}"#,
  ])
  func theCrossLengthOfTheContainerMustBeGiven(text: String) {
    #expect { try plan(text) } throws: { error in
      guard case .missing = (error as? ConfigurationError)?.code else { return false }
      return true
    }
  }

  @Test func theMainLengthOfTheContainerDefaultsToTheCrossLength() throws {
    let container = try plan(#"{"container":{"width":390}}"#).space.container
    #expect(container.height == container.width)
  }

  @Test(arguments: [
    #"{"columns":0}"#, #"{"columns":257}"#, #"{"columns":2,"minimumColumnWidth":10}"#,
    #"{"lineSpacing":-1}"#, #"{"itemLength":0}"#, #"{"minimumLength":5,"maximumLength":4}"#,
    #"{"header":1000001}"#, #"{"inset":{"left":-1}}"#, #"{"tolerance":-1}"#,
    #"{"background":{"kind":""}}"#,
  ])
  func valuesOutOfBoundsAreRejected(section: String) {
    #expect(throws: ConfigurationError.self) {
      try plan(#"{"container":{"width":390},"section":\#(section)}"#)
    }
  }

  @Test func anOverrideMustNotReverseTheBoundsOfALength() {
    #expect {
      try plan(
        #"""
        {"container":{"width":390},"section":{"minimumLength":60.5},
         "sections":{"a":{"maximumLength":60}}}
        """#)
    } throws: {
      "\($0)" == "minimumLength 60.5 is above maximumLength 60 (in sections.a)"
    }
  }

  @Test(arguments: [
    (#"{"columns":[2,1]}"#, "a waterfall's 'columns' is a number, as lengths must not depend on"),
    (#"{"kind":"grid","columns":[2,1001]}"#, "weight is 1001; the limit is 1000"),
    (#"{"kind":"grid","columns":[2,1.5]}"#, "1.5 is not a whole number"),
    (#"{"kind":"grid","columns":[]}"#, "columns is 0; the minimum is 1"),
    (#"{"kind":"grid","columns":[999,1]}"#, "need 1000"),
  ])
  func invalidWeightsAreRejectedWithTheReason(section: String, reason: String) {
    #expect {
      try plan(#"{"container":{"width":390},"section":\#(section)}"#)
    } throws: {
      "\($0)".contains(reason)
    }
  }

  @Test func aContainerTooNarrowIsRejectedWithTheLengthItWouldNeed() {
    #expect {
      try plan(
        #"{"container":{"width":40},"section":{"columns":3,"columnSpacing":10,"inset":{"left":9,"right":9}}}"#
      )
    } throws: { error in
      guard case .containerTooNarrow(_, let needed, 3) = (error as? ConfigurationError)?.code
      else { return false }
      return needed.points == 41
    }
  }

  @Test func anOverrideReplacesOnlyTheMembersThatItNames() throws {
    let plan = try plan(
      #"""
      {"container":{"width":100},"section":{"columns":2,"header":44,"lineSpacing":8},
       "sections":{"a":{"columns":3},"b":{"minimumColumnWidth":25},"c":{"header":0}}}
      """#)
    #expect(plan.section("a", style: nil).boundary.topLength.points == 44)
    #expect(columnCount(of: plan.section("a", style: nil)) == 3)
    #expect(columnCount(of: plan.section("b", style: nil)) == 4)
    #expect(columnCount(of: plan.section("c", style: nil)) == 2)
    #expect(plan.section("c", style: nil).boundary.topLength == .zero)
    #expect(columnCount(of: plan.section("any other", style: nil)) == 2)
  }

  private func columnCount(of section: SectionPlan) -> Int {
    if case .waterfall(let plan) = section.kind { plan.tracks.count } else { 0 }
  }
}
