import CollectionLayout
import LayoutCache
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

/// The header, footer and background of a whole layout: by index path, and named by changes. Worlds
/// judge their pages.
@Suite struct LayoutElementTests {
  private static let id = LayoutID("layout", of: "feed")
  private static let configuration = #"""
    {"container":{"width":100},"header":{"length":20,"pins":true},"footer":{"length":10},
     "background":{"kind":"page"},"section":{"columns":1,"header":5,"pinsHeader":true}}
    """#

  /// A feed whose layout is active, so that commits have contexts.
  private func feed(_ configuration: String = configuration) throws -> TestFeed {
    let feed = try TestFeed(
      ["a", "b"].map { OracleSection($0, sizes: [(1, 1), (1, 1)]) }, configuration: configuration)
    try feed.read { #expect($0.itemCount == 4) }
    return feed
  }

  @Test func elementsHaveThePathOfTheLayout() throws {
    try feed().read { snapshot in
      #expect(snapshot.contentSize == Size(width: 100, height: 440))
      let header = try snapshot.attributes(forSupplementary: .layoutHeader, at: .layout)
      #expect(header?.description == "layoutHeader at layout (x 0, y 0, 100 x 20)")
      #expect(header?.zIndex == LayoutAttributes.pinnedZIndex && header?.sectionKey == "")
      let footer = try snapshot.attributes(forSupplementary: .layoutFooter, at: .layout)
      #expect(footer?.frame == Rect(x: 0, y: 430, width: 100, height: 10))
      let page = try snapshot.attributes(forDecoration: "page", at: .layout)
      #expect(page?.frame == Rect(x: 0, y: 0, width: 100, height: 440))
      #expect(try snapshot.attributes(forDecoration: "card", at: .layout) == nil)
      #expect(try snapshot.attributes(forSupplementary: .header, at: .layout) == nil)
      #expect(try snapshot.attributes(forSupplementary: .layoutHeader, inSection: 0) == nil)
      #expect(try snapshot.attributes(at: .layout) == nil)
      // Below it, the pinned header of a section.
      let top = try snapshot.element(at: Point(x: 5, y: 119), visible: Self.visible)
      #expect(top?.category == .supplementary(kind: .layoutHeader))
      let next = try snapshot.element(at: Point(x: 5, y: 121), visible: Self.visible)
      #expect(next?.category == .supplementary(kind: .header))
      #expect(next?.zIndex == LayoutAttributes.pinnedZIndex - 1)
    }
  }

  private static let visible = Rect(x: 0, y: 100, width: 100, height: 100)

  private func invalidate(
    _ kinds: [String], _ sections: [String] = []
  ) -> BatchOperation {
    .invalidateElements(layout: "layout", kinds: kinds, sections: sections)
  }

  @Test func elementsAreInvalidatedByTheirKinds() throws {
    let feed = try feed()
    func context(_ operation: BatchOperation) throws -> InvalidationContext {
      var context = try #require(
        try feed.cache.update("feed", with: [operation]).layouts["layout"]?.context)
      context.work = LayoutWork()
      return context
    }
    var ofLayout = InvalidationContext()
    ofLayout.supplementaryElements = [.layoutHeader]
    ofLayout.decorationElements = ["page"]
    #expect(try context(invalidate(["layoutHeader", "page", "page"])) == ofLayout)
    var ofSection = InvalidationContext()
    ofSection.invalidate(
      SectionInvalidation(section: 1, start: 225, supplementaryElements: [.header]))
    #expect(try context(invalidate(["header"], ["b", "b"])) == ofSection)
    // A client that follows from the first revision receives both.
    var both = try #require(
      try feed.cache.changes(of: "feed", since: 1, layout: "layout").layouts.first?.context)
    both.work = LayoutWork()
    #expect(both == ofLayout.combined(with: ofSection))
    // Undoing shows the elements of that time again.
    let undone = try feed.cache.undo("feed").layouts["layout"]?.context
    #expect(undone?.sections == ofSection.sections)
    // A layout that is brought up to date later has them, too.
    try feed.cache.update("feed", with: [invalidate(["layoutFooter"])], preparing: .none)
    let caughtUp = try feed.cache.prepare(Self.id)
    #expect(caughtUp.context?.supplementaryElements.contains(.layoutFooter) == true)
    // No kind creates no revision.
    let revision = try feed.read(\.revision)
    #expect(try feed.cache.update("feed", with: [invalidate([], ["a"])]).revision == revision)
  }

  @Test func elementsOfCustomKindsAreInvalidatedByTheirKinds() throws {
    let feed = try feed(
      #"{"container":{"width":100},"section":{"kind":"curious","background":{"kind":"card"}}}"#)
    let commit = try feed.cache.update(
      "feed", with: [invalidate(["badge", "line", "card"], ["a", "b"])])
    for section in try #require(commit.layouts["layout"]?.context.sections) {
      #expect(section.supplementaryElements == ["badge"] && section.items.isEmpty)
      #expect(section.decorationElements == ["line", "card"])
    }
  }

  @Test func unknownKindsOfElementsAreRejected() throws {
    let feed = try feed()
    for (kinds, sections, detail) in [
      (
        ["header", "footer"], ["b"], "section 'b' of layout 'layout' has no 'footer'; it has header"
      ),
      (["page"], ["a"], "section 'a' of layout 'layout' has no 'page'; it has header"),
      (["header"], [], "layout 'layout' has no 'header'; it has layoutFooter, layoutHeader, page"),
    ] as [([String], [String], String)] {
      let error = #expect(throws: LayoutCacheError.self) {
        try feed.cache.update("feed", with: [invalidate(kinds, sections)])
      }
      #expect(error?.description.hasSuffix("operation 1: kinds: \(detail)") == true, "\(error!)")
    }
    try feed.set(#"{"container":{"width":100},"section":{}}"#)
    let error = #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [invalidate(["header"], ["a"])])
    }
    #expect(error?.description.hasSuffix("has no 'header'; it has none") == true)
    #expect(throws: LayoutCacheError.self) {
      try feed.cache.update("feed", with: [invalidate([], ["missing"])])
    }
  }

  @Test func contextsOfScrollingNameThePinnedOnes() throws {
    try feed().read { snapshot in
      let context = try snapshot.invalidationContext(forBoundsChange: Self.visible)
      #expect(context.supplementaryElements == [.layoutHeader])
      #expect(context.sections.map(\.supplementaryElements) == [[.header]])
    }
  }

  private func measure(
    _ feed: TestFeed, _ kind: LayoutAttributes.SupplementaryKind, _ length: Length?
  ) throws -> Commit {
    try feed.cache.update(
      "feed",
      with: [.preferSupplementary(layout: "layout", kind: kind, section: "", length: length)],
      visible: Self.visible)
  }

  @Test func onlyAnExistingElementIsMeasured() throws {
    let feed = try feed(#"{"container":{"width":100},"section":{}}"#)
    let error = #expect(throws: LayoutCacheError.self) { try measure(feed, .layoutFooter, 5) }
    #expect("\(error.map { "\($0)" } ?? "")".contains("layout 'layout' has no footer"))
    #expect(try feed.read(\.revision) == measure(feed, .layoutFooter, nil).revision)
  }

  @Test func preferencesContainTheElementsOfTheLayout() throws {
    try feed().read { snapshot in
      var header = try #require(
        try snapshot.attributes(forSupplementary: .layoutHeader, at: .layout))
      header.size.height = 33
      #expect(
        try snapshot.preferences(from: [header]) == [
          .preferSupplementary(layout: "layout", kind: .layoutHeader, section: "", length: 33)
        ])
      let context = try snapshot.invalidationContext(forPreferred: [header])
      #expect(context.supplementaryElements == [.layoutHeader, .layoutFooter])
      #expect(context.contentSizeAdjustment == Size(width: 0, height: 13))
    }
  }

  @Test(arguments: [
    (#"{"container":{"width":1},"header":{}}"#, "'length' is missing (in header)"),
    (
      #"{"container":{"width":1},"footer":{"length":1,"pin":true}}"#,
      "unknown member 'pin' (in footer)"
    ),
    (#"{"container":{"width":1},"header":{"length":-1}}"#, "(in header)"),
    (#"{"container":{"width":1},"header":{"length":1e9}}"#, "(in header)"),
    (#"{"container":{"width":1},"background":{"kind":""}}"#, "(in background)"),
  ])
  func mistakesNameTheMember(text: String, message: String) throws {
    let error = #expect(throws: (any Error).self) {
      let feed = try feed()
      try feed.cache.setLayout(Self.id, to: ConfigurationText.decode(text))
    }
    #expect(error.map { "\($0)" }?.contains(message) == true, "\(String(describing: error))")
  }
}
