import CollectionLayout
import LayoutGeometry
import TestSupport
import Testing

// Strategy: random layouts of one section, each with an equivalent page in CSS. One browser
// lays out all pages of a test.
//
// Invariants: every edge of every item, and the content's end, equals the browser's to the
// unit, 1/64 point. If a browser rounds differently, `browserFrames(of:)` computes its rule,
// which is checked to the unit too: `space-between` spreads a remainder, and `1fr` tracks are
// added up in single precision. An `aspect-ratio` uses the column's actual width, and so is
// exact in equal columns.

@Suite(
  .enabled(
    if: Browser.isRequired || Browser.identity != nil,
    "needs Chromium and Python's Playwright: `make browser` installs both"))
struct BrowserAgreementTests {
  @Test func aFlowEqualsAWrappingFlexContainer() throws {
    try compare(Self.cases { FlowCase(origin: $0, using: &$1) }, as: "flow")
  }

  @Test(.enabled(if: Browser.isRequired || Browser.hasGridLanes, Browser.lacksGridLanes))
  func aWaterfallEqualsGridLanes() throws {
    try compare(Self.waterfalls(.explicit), as: "waterfall")
  }

  @Test(.enabled(if: Browser.isRequired || Browser.hasGridLanes, Browser.lacksGridLanes))
  func aWaterfallOfWholeRatiosEqualsGridLanesWithAspectRatios() throws {
    try compare(Self.waterfalls(.exactRatios), as: "waterfall by aspect-ratio")
  }

  @Test(.enabled(if: Browser.isRequired || Browser.hasGridLanes, Browser.lacksGridLanes))
  func aWaterfallOfEqualColumnsEqualsGridLanesWithAnyRatios() throws {
    try compare(Self.waterfalls(.ratiosInEqualColumns), as: "waterfall by any aspect-ratio")
  }

  /// Both round an item's length down. A browser takes it from the width of the item's own
  /// columns, the engine from the nominal width, which is the same for every column.
  @Test(.enabled(if: Browser.isRequired || Browser.hasGridLanes, Browser.lacksGridLanes))
  func unequalColumnsApplyAspectRatiosToTheirActualWidth() throws {
    let cases = Self.waterfalls(.ratios)
    let answers = try Browser.layOut(cases.map(\.page)).answers
    for (waterfall, answer) in zip(cases, answers) {
      let agreement = try waterfall.browserCase().agreement(with: answer)
      for (item, theirs) in agreement.browser.enumerated() {
        let isVertical = waterfall.axes.scrollDirection == .vertical
        let natural = waterfall.axes.turned(waterfall.items[item].size)
        let (width, length) =
          isVertical ? (theirs.width, theirs.height) : (theirs.height, theirs.width)
        let comment: Comment = "\(waterfall.origin), item \(item): \(natural) \(theirs)"
        #expect(length == width * natural.height.units / natural.width.units, comment)
        let nominal = waterfall.nominalWidth(span: waterfall.items[item].span)
        let ours = agreement.engine[item]
        #expect(
          (isVertical ? ours.height : ours.width)
            == max(1, nominal.scaled(natural.height.units, natural.width.units)), comment)
      }
    }
  }

  @Test(.enabled(if: Browser.isRequired || Browser.hasGridLanes, Browser.lacksGridLanes))
  func aDifferentTieRuleIsDetected() throws {
    let cases = Self.waterfalls(.explicit).prefix(12)
    let answers = try Browser.layOut(cases.map(\.page)).answers
    let differing = try zip(cases, answers).filter { waterfall, answer in
      var waterfall = waterfall
      waterfall.options.ties = .leading
      let agreement = try waterfall.browserCase().agreement(with: answer)
      let expected = agreement.expecting(waterfall.browserFrames(of: agreement.engine))
      return expected.deviation.map { $0.units > 0 } ?? false
    }
    #expect(!differing.isEmpty)
  }

  static func waterfalls(_ lengths: WaterfallCase.Lengths) -> [WaterfallCase] {
    cases { WaterfallCase(origin: $0, lengths: lengths, using: &$1) }
  }

  /// Twelve cases of each seed.
  static func cases<Case>(_ make: (String, inout SeededGenerator) -> Case) -> [Case] {
    PropertyRun.seeds.flatMap { seed in
      var generator = SeededGenerator(seed: seed)
      return (0..<PropertyRun.steps(12)).map { make("seed \(seed), step \($0)", &generator) }
    }
  }

  /// Compares every case, and prints the number of cases and the largest distance.
  private func compare(_ cases: [some PageCase], as name: String) throws {
    let browserCases = try cases.map { try $0.browserCase() }
    let (identity, answers) = try Browser.layOut(browserCases.map(\.page))
    var (itemCount, largest) = (0, Int64(0))
    for index in cases.indices {
      let browserCase = browserCases[index]
      let page = browserCase.page
      let plain = try browserCase.agreement(with: answers[index])
      let agreement = plain.expecting(cases[index].browserFrames(of: plain.engine))
      #expect(
        agreement.sizeDeviation == 0,
        """
        \(browserCase.origin): engine \(agreement.engineSize), browser \(agreement.browserSize)
        \(page.container)
        """)
      guard let (units, item) = agreement.deviation else { continue }
      #expect(
        units == 0,
        """
        \(browserCase.origin), item \(item) of \(agreement.engine.count): \(units)/64 apart, \
        engine \(agreement.engine[item]), browser \(agreement.browser[item])
        \(page.container) \(page.item) \(page.items[item])
        """)
      itemCount += agreement.engine.count
      largest = max(largest, plain.deviation?.units ?? 0)
    }
    print(
      "Chromium \(identity.version), \(name): \(cases.count) layouts, \(itemCount) items,",
      "at most \(largest)/64 point apart, by the roundings that are stated")
  }
}
