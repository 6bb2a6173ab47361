import CollectionLayout
import Foundation
import Testing

@Suite struct EffectConfigurationTests {
  private func decode(_ effect: String) throws -> LayoutConfiguration {
    try JSONDecoder().decode(
      LayoutConfiguration.self,
      from: Data(#"{"container":{"width":390},"effect":\#(effect)}"#.utf8))
  }

  @Test(arguments: [
    (#"{"kind":"scale"}"#, Effect.scale(maximumScale: 1.3)),
    (#"{"kind":"scale","maximumScale":2}"#, .scale(maximumScale: 2)),
    (#"{"kind":"scale","maximumScale":null}"#, .scale()),
    (#"{"kind":"rotary"}"#, .rotary(maximumAngle: 60)),
    (#"{"kind":"rotary","maximumAngle":0}"#, .rotary(maximumAngle: 0)),
    (#"{"kind":"coverStack"}"#, .coverStack),
  ])
  func anEffectIsReadAndWrittenAndPlanned(text: String, effect: Effect) throws {
    let configuration = try decode(text)
    #expect(configuration.effect == effect)
    #expect(try LayoutPlan(configuration).effect?.effect == effect)
    let again = try JSONDecoder().decode(
      LayoutConfiguration.self, from: JSONEncoder().encode(configuration))
    #expect(again == configuration)
  }

  @Test func aSectionHasItsOwnEffectOrNone() throws {
    let text = #"""
      {"container":{"width":390},"effect":{"kind":"scale"},"section":{},
       "styles":{"a":{"effect":{"kind":"rotary"}},"b":{"effect":{"kind":"none"}},"c":{}}}
      """#
    let configuration = try JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8))
    let plan = try LayoutPlan(configuration)
    let effects = ["a", "b", "c"].map { plan.effect(of: plan.section("s", style: $0))?.effect }
    #expect(effects == [.rotary(), nil, .scale()])
    #expect(plan.effects.map(\.effect) == [.scale(), .rotary()])
    let again = try JSONEncoder().encode(configuration)
    #expect(try JSONDecoder().decode(LayoutConfiguration.self, from: again) == configuration)
  }

  @Test func aPageTurnIsOfTheWholeLayout() throws {
    let text =
      #"{"container":{"width":390},"section":{},"styles":{"a":{"effect":{"kind":"pageTurn"}}}}"#
    #expect {
      try LayoutPlan(JSONDecoder().decode(LayoutConfiguration.self, from: Data(text.utf8)))
    } throws: {
      "\($0)" == "'pageTurn' is an effect of the whole layout (in styles.a.effect)"
    }
  }

  @Test(arguments: [
    (#"{}"#, "'kind' is missing (in effect)"),
    (#"{"kind":null}"#, "'kind' is missing (in effect)"),
    (
      #"{"kind":"fold"}"#,
      "'fold' is not one of 'scale', 'coverStack', 'rotary', 'pageTurn', 'none' (in effect.kind)"
    ),
    (#"{"kind":"scale","speed":1}"#, "unknown member 'speed' (in effect)"),
    (#"{"kind":"scale","maximumAngle":1}"#, "unknown member 'maximumAngle' (in effect)"),
    (#"{"kind":"rotary","maximumScale":1}"#, "unknown member 'maximumScale' (in effect)"),
    (#"{"kind":"coverStack","maximumScale":1}"#, "unknown member 'maximumScale' (in effect)"),
    (#"{"kind":"pageTurn","maximumAngle":1}"#, "unknown member 'maximumAngle' (in effect)"),
  ])
  func membersOfOtherEffectsAreRejectedByName(text: String, message: String) {
    #expect { try LayoutPlan(decode(text)) } throws: { "\($0)".hasPrefix(message) }
  }

  @Test(arguments: [#""scale""#, "[]", "1", #"{"kind":"scale","maximumScale":"2"}"#])
  func anotherTypeIsRejected(text: String) {
    #expect(throws: DecodingError.self) { try decode(text) }
  }

  @Test(arguments: [
    (Effect.scale(maximumScale: 0), "maximumScale is 0; it must be above 0 (in effect)"),
    (.scale(maximumScale: -1), "maximumScale is -1; it must be above 0 (in effect)"),
    (.scale(maximumScale: 100.5), "maximumScale is 100.5; the limit is 100 (in effect)"),
    (.scale(maximumScale: .nan), "maximumScale is nan, not a finite number (in effect)"),
    (.rotary(maximumAngle: -0.5), "maximumAngle is -0.5; the minimum is 0 (in effect)"),
    (.rotary(maximumAngle: 90), "maximumAngle is 90; the limit is 89 (in effect)"),
    (.rotary(maximumAngle: .infinity), "maximumAngle is inf, not a finite number (in effect)"),
  ])
  func valuesOutOfBoundsAreRejectedByThePlan(effect: Effect, message: String) throws {
    var configuration = try decode("null")
    configuration.effect = effect
    #expect { try LayoutPlan(configuration) } throws: { "\($0)" == message }
  }
}
