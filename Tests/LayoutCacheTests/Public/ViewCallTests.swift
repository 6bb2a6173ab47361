import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import SumTree
import TestSupport
import Testing

@testable import LayoutCache

/// Views of one dataset through the calls that read them.
@Suite struct ViewCallTests {
  private let layout = LayoutID("layout", of: "feed")
  private let configuration = #"{"container":{"width":100},"section":{"columns":2}}"#

  /// A dataset of items k0, k1 … whose member n is a number from 0 to 9, in two sections.
  private func feed(count: Int = 40) throws -> TestFeed {
    let test = try TestFeed([])
    try fill(test, 0..<count)
    try test.set(configuration)
    return test
  }

  private func fill(_ test: TestFeed, _ numbers: Range<Int>) throws {
    _ = try test.cache.importItems(into: "feed", mode: .replace) {
      for number in numbers {
        let data = try ItemData(json: #"{"n":\#(number % 10),"parity":"\#(number % 2)"}"#)
        let item = try Item(
          key: "k\(number)", width: 10, height: Double(10 + number % 7), data: data)
        try $0.add(item, section: number < numbers.count / 2 ? "a" : "b")
      }
    }
  }

  private func keys(_ cache: LayoutCache, _ view: DatasetView) throws -> [String] {
    try cache.read(layout, showing: view) { snapshot in
      guard snapshot.itemCount > 0 else { return [] }
      return try snapshot.elements(.items(from: .text("0.0"))).elements.map(\.category.key)
    }
  }

  @Test func aTextThatIsNoFilterIsRejected() throws {
    let error = #expect(throws: LayoutCacheError.self) { try DatasetView(where: "n <") }
    #expect(error.map { "\($0)" } == "character 4 of the filter: expected a value, found the end")
    #expect(error?.category == .input)
    let members = (0..<5).map { DatasetOrder.Member(by: "m\($0)") }
    #expect(throws: LayoutCacheError.self) { try DatasetView(order: members) }
  }

  @Test func equalFiltersAreOneView() throws {
    let test = try feed()
    let view = try DatasetView(where: "n<5 AND (parity='1')")
    _ = try keys(test.cache, view)
    let known = try test.cache.read(layout) { base in
      test.cache.temporary.results(
        of: try DatasetView(where: #"n < 5 AND "parity" = '1'"#), in: base)
    }
    #expect(known?.items.trees.items.count == 8)
  }

  @Test func aViewFollowsCommitsWithoutAPass() throws {
    let test = try feed(count: 20_000)
    for view in [
      try DatasetView(where: "n < 5"), try DatasetView(where: "n < 5", order: [.init(by: "n")]),
    ] {
      let before = try test.cache.read(layout, showing: view) { $0 }
      let key = view.order.isEmpty ? "k3" : "k13"
      try test.cache.update(
        "feed",
        with: [
          .resize(key: key, size: Size(width: 10, height: 99)),
          .data(key: "k19996", try ItemData(json: #"{"n":0}"#)),
          .delete(keys: ["gone"], missing: .ignore),
        ])
      try test.cache.read(layout) { base in
        var results = try #require(test.cache.temporary.results(of: view, in: base))
        try base.withSession(keepsNodes: true) { reader, session in
          let isFollowed = try results.follow(to: base, reader, session)
          #expect(isFollowed)
          #expect(session.nodesVisited < 100)
        }
        let session = TreeSession()
        #expect(results.items.revision == before.revision + 1)
        let shown = try #require(try results.show(in: base, placing: 20_000, session))
        // The layout follows too: a layout of the view from scratch would place more.
        #expect(try results.show(in: base, placing: 0, session)?.contentSize == shown.contentSize)
        #expect(shown.itemCount == before.itemCount + (view.order.isEmpty ? 1 : 0))
      }
      // A thread that must not block looks up results only.
      #expect(try test.cache.readIfWarm(layout, showing: view) { $0 } == nil)
      #expect(try test.cache.follow(layout, showing: view))
      #expect(
        try test.cache.readIfWarm(layout, showing: view) { $0.revision } == before.revision + 1)
      let unknown = try DatasetView(where: "n = 77", order: view.order)
      #expect(try !test.cache.follow(layout, showing: unknown))
    }
  }

  @Test func sectionsThatMoveOrGetAStyleAreFollowed() throws {
    let test = try feed(count: 2000)
    let view = try DatasetView(where: "n < 5")
    let commits: [[BatchOperation]] = [
      [.style(section: "a", style: "s")], [.moveSection(key: "b", index: 0)],
      [
        .insertSection(key: "c", index: 0), .moveSection(key: "a", index: 0),
        .moveSection(key: "c", index: 2),
      ],
      [
        .style(section: "b", style: "s"), .moveSection(key: "b", index: 0),
        .delete(keys: ["k1", "k1999"]),
      ],
    ]
    for commit in commits {
      let revision = try test.cache.read(layout, showing: view) { $0.revision }
      try test.cache.update("feed", with: commit)
      #expect(try test.cache.read(layout, showing: .whole) { _ in true })
      #expect(try test.cache.follow(layout, showing: view))
      let changes = try test.cache.changes(of: layout, since: revision, showing: view)
      #expect(
        !changes.updates.everything && changes.layouts.allSatisfy { $0.context.reason == nil })
      let again = try DatasetView(where: "n < 5 AND key EXISTS")
      #expect(try keys(test.cache, view) == keys(test.cache, again))
    }
  }

  /// A length that was measured in one layout is no change of a cell in another.
  @Test func changesOfAViewAreThoseOfItsLayout() throws {
    let test = try feed()
    let view = try DatasetView(where: "n < 5")
    try test.cache.setLayout(
      LayoutID("other", of: "feed"), to: test.cache.layout(layout).configuration)
    for (name, changes) in [("other", false), ("layout", true)] {
      let revision = try test.cache.read(layout, showing: view) { $0.revision }
      try test.cache.update(
        "feed", with: [.prefer(layout: name, key: "k1", length: Length(points: 77))])
      let found = try test.cache.changes(of: layout, since: revision, showing: view)
      #expect(found.updates == DatasetUpdates())
      #expect(found.layouts.isEmpty != changes)
    }
    let revision = try test.cache.read(layout, showing: view) { $0.revision }
    let size = Size(width: 9, height: 9)
    try test.cache.update(
      "feed", with: [.resize(key: "k2", size: size), .resize(key: "k32", size: size)])
    let rect = Rect(x: 0, y: 0, width: 100, height: 5)
    for (rect, count) in [(nil, 2), (rect, 1)] {
      let found = try test.cache.changes(of: layout, since: revision, in: rect, showing: view)
      #expect(found.layouts.first?.context.sections.count == count)
    }
  }

  /// Precisely after the commit that did it, of whole sections after others.
  @Test func partsOfAViewAreDisplayedAgain() throws {
    let test = try feed()
    try test.cache.setLayout(
      LayoutID("other", of: "feed"), to: test.cache.layout(layout).configuration)
    for order in [[], [DatasetOrder.Member(by: "n")]] {
      let view = try DatasetView(where: "n < 5", order: order)
      for (name, others, items) in [("layout", 0, 1), ("other", 0, nil), ("layout", 1, 20)] {
        let revision = try test.cache.read(layout, showing: view) { $0.revision }
        try test.cache.update("feed", with: [.invalidate(layout: name, items: ["k2", "k7"])])
        let data = try ItemData(json: #"{"n":\#(9 + revision)}"#)
        for _ in 0..<others { try test.cache.update("feed", with: [.data(key: "k9", data)]) }
        let found = try test.cache.changes(of: layout, since: revision, showing: view)
        let sections = found.layouts.first?.context.sections
        let wanted = view.order.isEmpty ? items.map { min($0, 10) } : items
        #expect(sections?.first?.items.ranges.reduce(0) { $0 + $1.count } == wanted, "\(found)")
      }
    }
  }

  /// A listener to a view whose result is not in memory.
  @Test func aCommitThatIsNotOfTheViewIsNotTold() throws {
    let test = try feed()
    try test.cache.setLayout(
      LayoutID("other", of: "feed"), to: test.cache.layout(layout).configuration)
    let view = try DatasetView(where: "section = a AND n < 5")
    let size = Size(width: 9, height: 9)
    let commits: [(isTold: Bool, [BatchOperation])] = [
      (false, [.resize(key: "k7", size: size), .delete(keys: ["k7"])]),
      (false, [.prefer(layout: "other", key: "k1", length: Length(points: 50))]),
      (true, [.prefer(layout: "layout", key: "k1", length: Length(points: 50))]),
      (false, [.style(section: "b", style: "s")]), (true, [.style(section: "a", style: "s")]),
      (false, [.invalidate(layout: "layout", items: ["k30"])]),
      (true, [.invalidate(layout: "layout", items: ["k2"])]),
      (false, [.invalidate(layout: "other", items: ["k2"])]),
      (true, [.resize(key: "k2", size: size), .delete(keys: ["k2"])]),
      (true, [.moveSection(key: "a", index: 1)]), (false, [.moveSection(key: "b", index: 1)]),
    ]
    for (isTold, operations) in commits {
      let commit = try test.cache.update("feed", with: operations)
      let own = try test.cache.commit(commit, of: "feed", inView: view, "layout")
      #expect((own != nil) == isTold, "\(operations)")
    }
  }

  @Test func aViewBelongsToItsDatasetAndDefinition() throws {
    let test = try feed()
    let view = try DatasetView(where: "parity = '0'", order: [.init(by: "n", descending: true)])
    #expect(try keys(test.cache, view).prefix(2) == ["k18", "k28"])
    try fill(test, 100..<110)
    #expect(try keys(test.cache, view) == ["k108", "k106", "k104", "k102", "k100"])
    try test.set(#"{"container":{"width":100},"section":{"columns":1,"itemLength":30}}"#)
    #expect(
      try test.cache.read(layout, showing: view) { $0.contentSize } == Size(width: 100, height: 150)
    )
    let incarnation = try test.cache.read(layout, showing: view) { $0.incarnation }
    try test.cache.removeDataset("feed")
    try fill(test, 0..<3)
    try test.set(configuration)
    #expect(try keys(test.cache, view) == ["k2", "k0"])
    #expect(try test.cache.read(layout, showing: view) { $0.incarnation } != incarnation)
  }

  @Test func anEmptyViewHasNoSections() throws {
    let test = try feed()
    for view in [
      try DatasetView(where: "gone EXISTS"),
      try DatasetView(where: "gone EXISTS", order: [.init(by: "n")]),
    ] {
      try test.cache.read(layout, showing: view) {
        #expect($0.sectionCount == 0 && $0.itemCount == 0)
        let found = try $0.elements(in: Rect(x: 0, y: 0, width: 100, height: 100)).elements
        #expect(found.isEmpty)
      }
      try test.cache.update("feed", with: [.data(key: "k1", try ItemData(json: #"{"gone":1}"#))])
      #expect(try keys(test.cache, view) == ["k1"])
      try test.cache.update("feed", with: [.data(key: "k1", nil)])
      #expect(try keys(test.cache, view) == [])
    }
  }

  @Test func aTokenOfAnotherViewIsRejected() throws {
    let test = try feed()
    let views: [DatasetView?] = [
      nil, try DatasetView(where: "n < 5"), try DatasetView(where: "n < 6"),
      try DatasetView(where: "n < 5", order: [.init(by: "n")]),
    ]
    for (number, view) in views.enumerated() {
      let next = try test.cache.read(layout, showing: view) {
        try $0.elements(.items(from: .text("0.0"), count: 2)).next
      }
      let token = try #require(next)
      #expect(Continuation(token: token.token) == token)
      for (other, view) in views.enumerated() {
        try test.cache.read(layout, showing: view) { snapshot in
          if other == number {
            let page = try snapshot.elements(.after(token)).elements
            #expect(page.count == 2)
          } else {
            let error = #expect(throws: LayoutCacheError.self) {
              try snapshot.elements(.after(token))
            }
            guard case .continuationMismatch = error?.code else {
              Issue.record("\(String(describing: error))")
              return
            }
          }
        }
      }
    }
  }

  @Test func changesOfAViewReachBackToItsLastStates() throws {
    let test = try feed()
    let view = try DatasetView(where: "n < 5")
    let begin = try test.cache.dataset("feed").revision
    func changes(since revision: Int) throws -> DatasetChanges {
      let changes = try test.cache.changes(of: layout, since: revision, showing: view)
      let reason = changes.updates.reason
      #expect(changes.layouts.first?.context.reason == reason)
      let first = try test.cache.read(from: layout, since: revision, to: nil, showing: view) {
        first, _ in first?.revision
      }
      #expect(first == (reason == nil ? revision : nil))
      return changes
    }
    try test.cache.update("feed", with: [.delete(keys: ["k1"])])
    // No read of the view has been at the revision before.
    #expect(try changes(since: begin).updates.reason == .temporary)
    #expect(try changes(since: begin + 1).updates.isEmpty)
    #expect(throws: LayoutCacheError.self) { try changes(since: begin + 2) }
    let keys = (2..<40).filter { $0 % 10 < 5 }.map { "k\($0)" }
    for number in 1...Budgets.viewStates {
      try test.cache.update("feed", with: [.delete(keys: [keys[number]])])
      let known = try changes(since: begin + 1)
      let isKnown = number < Budgets.viewStates
      #expect(known.updates.reason == (isKnown ? nil : .temporary))
      #expect(!isKnown || known.updates.items.count == number)
    }
  }

  @Test func theLeastRecentlyUsedViewsAreReleased() throws {
    let test = try feed()
    let views = try (0...Budgets.temporaryResults).map { try DatasetView(where: "n < \($0)") }
    for view in views {
      _ = try keys(test.cache, view)
      _ = try keys(test.cache, views[0])
    }
    try test.cache.read(layout) { base in
      #expect(test.cache.temporary.results(of: views[0], in: base) != nil)
      #expect(test.cache.temporary.results(of: views[1], in: base) == nil)
      #expect(test.cache.temporary.results(of: views[2], in: base) != nil)
    }
    #expect(
      "\(LayoutCacheError(viewOf: 300 << 20))" == """
        the number of bytes of the view's items is 314572800; the limit is 268435456; choose fewer \
        items, or import them into another dataset
        """)
  }

  @Test func threadsReadAViewWhileItsDatasetChanges() throws {
    let test = try feed()
    let view = try DatasetView(where: "n < 5", order: [.init(by: "n")])
    try Threads.start(4) { number in
      var last = 0
      for step in 0..<60 {
        if number == 0 {
          try test.cache.update(
            "feed", with: [.data(key: "k\(step % 40)", try ItemData(json: #"{"n":\#(step % 10)}"#))]
          )
          continue
        }
        try test.cache.read(layout, showing: view) { snapshot in
          #expect(snapshot.revision >= last)
          last = snapshot.revision
          let found = try snapshot.elements(.items(from: .text("0.0"))).elements.count
          #expect(found == snapshot.itemCount)
        }
      }
    }.join()
  }
}

extension LayoutAttributes.Category {
  fileprivate var key: String { if case .cell(let key) = self { key } else { "" } }
}
