import CollectionLayout
import Foundation
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

// Responsive layouts: names of variants, their number, and changes that concern all of them.

@Suite struct VariantTests {
  private static let any = #"""
    {"container":{"widths":{"step":8,"keep":3}},"section":{"columns":2,"header":20},
     "breakpoints":[{"from":600,"columns":4}]}
    """#

  private let clock = TestClock(milliseconds: 1_700_000_000_000)
  private let directory: TemporaryDirectory
  private let cache: LayoutCache

  init() throws {
    directory = try TemporaryDirectory()
    cache = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<120 {
        try importer.add(
          Item(key: "k\(number)", width: 4, height: Double(3 + number % 5)), section: "main")
      }
    }
    try set(Self.any)
  }

  private func set(_ text: String, as name: String = "any") throws {
    try cache.setLayout(id(name), to: ConfigurationText.decode(text))
  }

  private func id(_ name: String) -> LayoutID { LayoutID(name, of: "feed") }

  private func canonicalName(_ name: String) throws -> String {
    try cache.read(id(name)) { $0.layout.layout }
  }

  private func elements(_ name: String) throws -> [OracleElement] {
    try cache.read(id(name)) { try OracleElement.all(of: $0) }
  }

  private func variants(_ name: String = "any") throws -> [String] {
    try cache.layout(id(name)).variants.map(\.name)
  }

  private func code(_ body: () throws -> Void) -> LayoutCacheError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? LayoutCacheError)?.code
    }
  }

  private func variantError(_ body: () throws -> Void) -> ConfigurationError.Code? {
    if case .variant(_, let error) = code(body) { error.code } else { nil }
  }

  @Test(arguments: [
    ("any@390", "any@384"), ("any@390.0", "any@384"), ("any@384", "any@384"),
    ("any@391.984375", "any@384"), ("any@392", "any@392"), ("any@0390.50", "any@384"),
    ("any@390x844", "any@384"), ("any@1000000", "any@1000000"), ("any@8", "any@8"),
  ])
  func aWidthIsRoundedDownToTheStep(name: String, expected: String) throws {
    #expect(try canonicalName(name) == expected)
    #expect(try variants() == [expected])
  }

  @Test(arguments: [
    "any@", "any@x", "any@390x", "any@x844", "any@-390", "any@+390", "any@1e3", "any@nan",
    "any@inf", "any@390,5", "any@ 390", "any@390@390", "any@390x1x2", "any@.5", "any@390.",
  ])
  func otherTextsAreNoSizes(name: String) throws {
    let error = code { _ = try cache.read(id(name)) { _ in } }
    switch error {
    case .variant(_, let error) where error.code == .malformedSize: break
    case .noSuchLayout: break
    default: Issue.record("\(String(describing: error))")
    }
    #expect(try variants().isEmpty)
  }

  @Test(arguments: ["any@0", "any@7", "any@0.5", "any@1000001", "any@390x0", "any@390x2000000"])
  func sizesOutOfRangeAreRejected(name: String) throws {
    guard case .limit? = variantError({ _ = try cache.read(id(name)) { _ in } }) else {
      Issue.record("\(name)")
      return
    }
    #expect(try variants().isEmpty)
  }

  @Test func aWidthThatTheOptionsDoNotFitIsRejectedAndNothingIsCreated() throws {
    try set(#"{"container":{"widths":{}},"section":{"columns":3,"inset":{"left":50,"right":50}}}"#)
    guard
      case .containerTooNarrow? = variantError({ _ = try cache.read(id("any@96")) { _ in } })
    else {
      Issue.record("accepted")
      return
    }
    #expect(try variants().isEmpty)
    #expect(try canonicalName("any@104") == "any@104")
  }

  @Test func theHeightIsPartOfTheNameOnlyWhereAnOptionDependsOnIt() throws {
    try set(
      #"{"container":{"widths":{}},"section":{"kind":"circle","itemSize":{"width":9,"height":9}}}"#)
    #expect(try canonicalName("any@390x844") == "any@384x844")
    #expect(try canonicalName("any@390x844.5") == "any@384x844.5")
    // The height that it has without one.
    #expect(try canonicalName("any@390x384") == "any@384")
    #expect(try cache.read(id("any@390x844")) { $0.contentSize.height } == 844)
    try set(Self.any.replacing("\"widths\"", with: "\"height\":700,\"widths\""), as: "tall")
    #expect(try canonicalName("tall@390x844") == "tall@384")
    #expect(try cache.layout(id("tall@390")).configuration.container.height == 700)
  }

  @Test(arguments: [
    #"{"width":390,"widths":{}}"#, #"{"widths":{"step":0}}"#, #"{"widths":{"keep":0}}"#,
    #"{"widths":{"keep":257}}"#, #"{"widths":{"step":1000001}}"#, #"{"widths":{"steps":8}}"#,
    #"{"heights":{}}"#, #"{"widths":{},"heights":{}}"#, #"{"widths":8}"#,
  ])
  func invalidContainersAreRejected(container: String) throws {
    #expect(throws: (any Error).self) {
      try set(#"{"container":\#(container)}"#, as: "other")
    }
  }

  @Test func theNameWithoutAWidthIsRejectedByQueries() throws {
    for call in [
      { _ = try self.cache.read(self.id("any")) { _ in } },
      { _ = try self.cache.read(self.id("any"), freshness: .last) { _ in } },
      { _ = try self.cache.changes(of: "feed", since: 1, layout: "any") },
      { try self.cache.update("feed", with: [.delete(keys: ["k0"])], preparing: .named(["any"])) },
    ] as [() throws -> Void] {
      #expect(variantError(call) == .sizeMissing)
    }
    guard
      case .refused(let number, let reason) = code({
        try cache.update("feed", with: [.prefer(layout: "any", key: "k0", length: 9)])
      })
    else {
      Issue.record("accepted")
      return
    }
    #expect(reason == .variant("any", ConfigurationError(.sizeMissing)) && number == 1)
    #expect(try cache.dataset("feed").revision == 1)
  }

  @Test func theNameWithoutAWidthMeansAllVariants() throws {
    for width in [300, 400, 500] { _ = try elements("any@\(width)") }
    let old = try cache.read(id("any@400")) { $0.resultIncarnation }
    let commit = try cache.update("feed", with: [.invalidate(layout: "any", everything: true)])
    #expect(commit.layouts.map(\.layout).sorted() == ["any@296", "any@400", "any@496"])
    #expect(try cache.read(id("any@400")) { $0.resultIncarnation } != old)
    #expect(try cache.rebalance("feed", layouts: ["any"]).layouts.count == 3)
    try cache.update("feed", with: [.delete(keys: ["k0"])], preparing: .none)
    #expect(try cache.prepare(id("any")).context != nil)
    #expect(try cache.prepare(id("any")).context == nil)
    #expect(try cache.layout(id("any")).variants.allSatisfy { $0.preparedRevision == 4 })
  }

  @Test func theLeastRecentlyUsedIsDroppedButNotOneOfTheLastHour() throws {
    for width in [300, 400, 500] {
      _ = try elements("any@\(width)")
      clock.advance(by: 1_800_000)
    }
    _ = try elements("any@600")
    #expect(try variants() == ["any@400", "any@496", "any@600"])
    // Of the other two, one has been used within the hour.
    clock.advance(by: 1_700_000)
    _ = try elements("any@400")
    _ = try elements("any@700")
    #expect(try variants() == ["any@400", "any@496", "any@600"])
    // The order survives the process.
    try cache.close()
    let other = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    clock.advance(by: 2_000_000)
    try other.read(id("any@700")) { _ in }
    #expect(try other.layout(id("any")).variants.map(\.name) == ["any@400", "any@600", "any@696"])
    #expect(try other.layout(id("any@600")).preparedRevision == 1)
  }

  /// A change or a preparation stores its width; reads are answered from memory.
  @Test(arguments: [false, true]) func widthsBeyondThoseInUseAreNotStored(isKept: Bool) throws {
    for width in [104, 112, 128] {
      _ = try elements("any@\(width)")
      clock.advance(by: 1000)
    }
    let first = try elements("any@120")
    #expect(try variants() == ["any@104", "any@112", "any@128"])
    #expect(try elements("any@125.5") == first)
    if isKept {
      try cache.prepare(id("any@120"))
    } else {
      // The item's own length.
      let length = try cache.read(id("any@120")) {
        try $0.attributes(forKey: "k119")?.frame.size.height
      }
      try cache.update("feed", with: [.prefer(layout: "any@120", key: "k119", length: length)])
    }
    #expect(try variants() == ["any@112", "any@120", "any@128"])
    #expect(try elements("any@120") == first)
  }

  @Test func aTemporaryWidthFollowsCommits() throws {
    for width in [96, 104, 112] { _ = try elements("any@\(width)") }
    let work = try cache.read(id("any@390")) { ($0.layout, $0.incarnation, $0.isTemporary) }
    #expect(work.0 == id("any@384") && work.2)
    try cache.update("feed", with: [.resize(key: "k3", size: Size(width: 4, height: 9))])
    let change = try cache.changes(of: "feed", since: 1, layout: "any@385")
    #expect(change.layouts.map(\.layout) == ["any@384"] && !change.updates.everything)
    let context = try #require(change.layouts.first?.context)
    #expect(!context.invalidateEverything && context.sections.first?.items.contains(3) == true)
    #expect(
      try cache.changes(of: "feed", since: 0, layout: "any@385").layouts[0].context.reason
        == .temporary)
    let former = try cache.read(id("any@384")) { try $0.preview(undoTo: 1) }
    #expect(
      former.commit.updates.items.map(\.key) == ["k3"] && !former.context.invalidateEverything)
    // Another process has the same state.
    let other = try LayoutCache(path: directory.path(of: "feed.sqlite"), clock: clock.clock)
    let found = try other.read(id("any@384")) {
      (try OracleElement.all(of: $0), $0.incarnation, $0.isTemporary)
    }
    #expect(try elements("any@390") == found.0 && found.1 == work.1 && found.2)
    // Another definition is another state.
    try set(Self.any.replacing("\"columns\":2", with: "\"columns\":3"))
    #expect(try cache.read(id("any@384")) { $0.incarnation } != work.1)
  }

  @Test func temporaryWidthsAreBounded() throws {
    try LayoutCache.$mayStoreSizes.withValue(false) {
      for width in 13..<90 { _ = try canonicalName("any@\(8 * width)") }
      let uses = try cache.readBase(id("any@104")) { base in
        try #require(cache.temporary.results(of: .whole, in: base)).uses
      }
      #expect(uses.count == Budgets.temporaryResults)
    }
  }

  @Test func strangersHaveNoWidthStored() throws {
    let names = try LayoutCache.$mayStoreSizes.withValue(false) {
      (try canonicalName("any@390"), try variants())
    }
    #expect(names == ("any@384", []))
    // Others have it stored, although its name is known.
    #expect(try canonicalName("any@390") == "any@384")
    #expect(try variants() == ["any@384"])
    let isTemporary = try LayoutCache.$mayStoreSizes.withValue(false) {
      try cache.read(id("any@390")) { $0.isTemporary }
    }
    #expect(!isTemporary)
  }

  @Test func twoFirstLayoutsOfADatasetAreUnderWayAtMost() throws {
    let uses = cache.variants
    #expect(uses.beginFirstLayout(id("any@8")) && uses.beginFirstLayout(id("any@16")))
    // Another call for the same one waits for its result instead.
    #expect(uses.beginFirstLayout(id("any@8")))
    #expect(!uses.beginFirstLayout(id("any@24")))
    #expect(uses.beginFirstLayout(LayoutID("any@24", of: "other")))
    uses.endFirstLayout(id("any@8"))
    #expect(!uses.beginFirstLayout(id("any@24")) && uses.isUnderWay(id("any@8")))
    uses.endFirstLayout(id("any@8"))
    #expect(uses.beginFirstLayout(id("any@24")) && !uses.isUnderWay(id("any@8")))
  }

  @Test func aRequestThatWaitsTooLongIsToldSo() throws {
    #expect(cache.variants.beginFirstLayout(id("any@8")))
    #expect(cache.variants.beginFirstLayout(id("any@16")))
    let start = ContinuousClock.now
    let error = code { _ = try cache.read(id("any@24")) { _ in } }
    guard case .layoutsUnderWay = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(start.duration(to: .now) >= .seconds(5))
    #expect(try variants().isEmpty)
    cache.variants.endFirstLayout(id("any@8"))
    #expect(try canonicalName("any@24") == "any@24")
  }

  @Test func newNamesDoNotContainAnAt() throws {
    let fixed = #"{"container":{"width":390}}"#
    #expect(variantError { try set(fixed, as: "wide@390") } == .reservedName)
    _ = try elements("any@300")
    #expect(variantError { try set(fixed, as: "any@296") } == .reservedName)
    #expect(variantError { try cache.renameLayout(id("any"), to: "a@b") } == .reservedName)
    #expect(variantError { try cache.renameLayout(id("any@296"), to: "other") } == .reservedName)
    #expect(try cache.layouts(of: "feed").map(\.name) == ["any"])
    guard case .limit = code({ try set(Self.any, as: String(repeating: "a", count: 230)) }) else {
      Issue.record("a variant's name would be too long")
      return
    }
  }

  @Test func listingsShowVariantsWithTheirLayoutAndTheirAge() throws {
    try set(#"{"container":{"width":390}}"#, as: "a")
    try set(#"{"container":{"width":390}}"#, as: "anyone")
    _ = try elements("any@300")
    clock.advance(by: 90_000)
    let layouts = try cache.layouts(of: "feed")
    #expect(layouts.map(\.name) == ["a", "any", "anyone"])
    #expect(try cache.layouts(of: "feed", after: "a", limit: 2).map(\.name) == ["any", "anyone"])
    let variant = try #require(layouts[1].variants.first)
    #expect(variant.name == "any@296" && variant.container.width == 296)
    #expect(variant.secondsSinceUse == 90 && variant.nodeBytes > 0)
    #expect(variant.preparedRevision == 1)
    let inspected = try cache.inspect(dataset: "feed").layouts.first { $0.name == "any@296" }
    #expect(inspected?.secondsSinceUse == 90)
    let missing = try cache.layout(id("any@1000"))
    #expect(missing.name == "any@1000" && missing.preparedRevision == nil)
    #expect(missing.configuration.container.width == 1000)
    #expect(try variants() == ["any@296"])
  }

  @Test func changesSinceARevisionNameTheVariant() throws {
    _ = try elements("any@390")
    try cache.update("feed", with: [.resize(key: "k3", size: Size(width: 4, height: 9))])
    let change = try #require(
      try cache.changes(of: "feed", since: 1, layout: "any@385").layouts.first)
    #expect(change.layout == "any@384" && !change.context.invalidateEverything)
    let (before, after) = try cache.read(from: id("any@390"), to: "any@800") {
      ($0?.layout.layout, $1.layout.layout)
    }
    #expect(before == "any@384" && after == "any@800")
  }
}
