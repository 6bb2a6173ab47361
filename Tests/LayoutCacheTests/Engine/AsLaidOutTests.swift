import CollectionLayout
import LayoutCacheTestSupport
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCache

/// Answers without pins and effects, as a whole and page by page.
@Suite struct AsLaidOutTests {
  @Test func pinsAndEffectsAreNotApplied() throws {
    let sections = ["a", "b"].map {
      OracleSection($0, sizes: Array(repeating: (100, 50), count: 20))
    }
    let test = try TestFeed(
      sections,
      configuration: #"""
        {"container":{"width":100},"effect":{"kind":"coverStack"},
         "section":{"columns":1,"header":30,"footer":20,"pinsHeader":true,"pinsFooter":true}}
        """#)
    let rect = Rect(x: 0, y: 510, width: 100, height: 100)
    try test.read { snapshot in
      let page = try snapshot.elements(asLaidOutIn: rect)
      // Rows from 480 and 530, and the last of them up to 630.
      #expect(
        page.elements.map(\.description) == [
          "cell 'a-9' at 0.9 (x 0, y 480, 100 x 50)",
          "cell 'a-10' at 0.10 (x 0, y 530, 100 x 50)",
          "cell 'a-11' at 0.11 (x 0, y 580, 100 x 50)",
        ])
      #expect(page.next == nil)
      #expect(try snapshot.elements(in: rect).elements.count > 3)
      #expect(throws: LayoutCacheError.self) { try snapshot.elements(asLaidOutIn: rect, limit: 0) }
    }
  }

  @Test(.property, arguments: PropertyRun.seeds)
  func pagesOfAnyLengthHaveTheSameElements(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in PropertyRun.each(seed, rounds: 4) {
      var source = RandomFeed(sectionCountMax: 4, itemCountMax: 30)
      let sections = source.sections(using: &generator)
      let text = RandomConfiguration(kinds: TestKinds.mixes[round % 2], allowsEffects: true).text(
        sectionKeys: sections.map(\.key), using: &generator)
      let test = try TestFeed(sections, configuration: text)
      try test.read { snapshot in
        let rects = RandomRects(snapshot, frames: [])
        for _ in 0..<8 {
          let origin: Comment = "\(text)"
          let rect = Rect(rects.next(using: &generator))
          let whole = try snapshot.elements(asLaidOutIn: rect).elements
          #expect(
            whole == (try snapshot.run(in: rect, visible: nil, limit: .max).result.elements), origin
          )
          var query = ElementsQuery.asLaidOut(rect, limit: .random(in: 1...5, using: &generator))
          var found: [LayoutAttributes] = []
          while true {
            let page = try snapshot.elements(query)
            found += page.elements
            guard let next = page.next else { break }
            let read = try #require(Continuation(token: next.token))
            #expect(read == next && read.isAsLaidOut, origin)
            #expect(
              read.continues(queryFor: rect) && !read.continues(queryFor: rect, visible: rect),
              origin)
            query = .after(read, limit: nil)
          }
          #expect(found == whole, origin)
        }
      }
    }
  }
}
