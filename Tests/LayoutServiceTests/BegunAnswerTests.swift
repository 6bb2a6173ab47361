import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCacheService

/// Answers that one thread begins and another completes.
@Suite struct BegunAnswerTests {
  private static let everything = Rect(
    x: .zero, y: .zero, width: Length(units: 1 << 40), height: Length(units: 1 << 40))
  private static let phone = LayoutID("phone", of: "feed")

  private func feed(items: Int) throws -> LayoutCache {
    let cache = try LayoutCache.temporary()
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<items {
        try importer.add(
          Item(key: "i\(number)", width: 4, height: Double(2 + number % 5)),
          section: "s\(number / 1500)")
      }
    }
    try cache.setLayout(
      Self.phone,
      to: ConfigurationText.decode(
        #"{"container":{"width":390},"section":{"columns":3,"header":40}}"#))
    return cache
  }

  private static let queries: [[ElementsQuery]] = [
    [.rect(everything)], [.rect(everything, limit: 1024)], [.rect(everything, limit: 1500)],
    [.asLaidOut(everything, limit: 3000)], [.items(from: .text("0.7"), count: 1025)],
    [.items(from: .key("i4999"), count: 2000, backward: true)],
    [
      .rect(everything, limit: 1000), .rect(everything, limit: 30),
      .rect(Rect(x: .zero, y: .zero, width: .zero, height: .zero)), .rect(everything),
      .items(from: .key("i1"), count: 1),
    ],
  ]

  /// However the answer is divided, it is the same and each element is found once.
  @Test(arguments: PropertyRun.seeds) func partsAddUpToTheWholeAnswer(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let cache = try feed(items: 5000)
    let queries = try #require(Self.queries.randomElement(using: &generator))
    try cache.read(Self.phone) { snapshot in
      let whole = try queries.map { try snapshot.elements($0) }
      let count = whole.reduce(0) { $0 + $1.elements.count }
      var answer = BegunAnswer(of: snapshot)
      var partCount = 0
      var isComplete = false
      while !isComplete {
        let before = answer.pages.reduce(0) { $0 + $1.elements.count }
        let elementsMax = Int.random(in: 1...2000, using: &generator)
        isComplete = try answer.add(queries, from: snapshot, elementsMax: elementsMax)
        partCount += 1
        let added = answer.pages.reduce(0) { $0 + $1.elements.count } - before
        #expect(isComplete ? added <= elementsMax : added == elementsMax, "seed \(seed)")
        answer = try #require(answer.continued(in: snapshot))
      }
      #expect(answer.pages.map(\.elements) == whole.map(\.elements), "seed \(seed)")
      #expect(answer.pages.map(\.next) == whole.map(\.next), "seed \(seed)")
      // Each part visits a path of nodes to its first element and no other nodes of earlier
      // parts: about 30 nodes in three columns and two trees.
      let work = answer.pages.reduce(0) { $0 + $1.work.nodesVisited }
      let wholeWork = whole.reduce(0) { $0 + $1.work.nodesVisited }
      #expect(
        work <= wholeWork + 40 * (partCount - 1),
        "seed \(seed): \(work) nodes in \(partCount) parts of \(count), \(wholeWork) in one")
    }
  }

  /// A part is discarded if the state has changed in the meantime.
  @Test func partOfAnotherStateIsDropped() throws {
    let cache = try feed(items: 20)
    let begun = try cache.read(Self.phone) { snapshot in
      var begun = BegunAnswer(of: snapshot)
      let isComplete = try begun.add([.rect(Self.everything)], from: snapshot, elementsMax: 5)
      #expect(!isComplete)
      #expect(begun.continued(in: snapshot)?.pages.map(\.elements.count) == [5])
      return begun
    }
    let configuration = try cache.layout(Self.phone).configuration
    try cache.removeLayout(Self.phone)
    try cache.setLayout(Self.phone, to: configuration)
    // The same revision of another history.
    try cache.read(Self.phone) { snapshot in
      #expect(snapshot.revision == 1 && begun.continued(in: snapshot) == nil)
    }
    try cache.update("feed", with: [.delete(keys: ["i3"])])
    try cache.read(Self.phone) { snapshot in
      #expect(snapshot.revision == 2 && begun.continued(in: snapshot) == nil)
    }
  }

  /// Over HTTP, around the number of elements that one thread finds.
  @Test(arguments: [1022, 1023, 1024, 1025, 4000])
  func longAnswersMatchTheLibrary(itemCount: Int) async throws {
    try await TestService.run { service in
      // With the header that is one more element.
      try service.makeFeed(items: itemCount)
      let path = "/v1/datasets/feed/layouts/phone/elements"
      let whole = try await service.cache.performRead(Self.phone) {
        try $0.elements(in: Rect(pointsX: 0, y: 0, width: 390, height: 1e8)!, limit: 10_000)
      }
      let rect = "rect=0,0,390,100000000"
      for query in [
        rect, "\(rect)&data=true", "\(rect)&\(rect)0&rect=0,0,9,9", "\(rect)&limit=1024",
      ] {
        let answer = try await service.send("GET", "\(path)?\(query)")
        #expect(answer.status == 200, "\(query)")
        let pages = answer.object["pages"] as? [[String: Any]] ?? [answer.object]
        for page in pages.prefix(2) {
          let elements = try #require(page["elements"] as? [[String: Any]])
          let wanted = query.contains("limit") ? whole.elements.prefix(1024) : whole.elements[...]
          #expect(elements.compactMap { $0["key"] as? String } == wanted.compactMap(\.key))
          #expect(elements.count == wanted.count)
          #expect((page["next"] != nil) == (wanted.count < whole.elements.count))
        }
        let again = try await service.send(
          "GET", "\(path)?\(query)", headers: ["If-None-Match": answer.headers["etag"] ?? ""])
        #expect(again.status == 304)
      }
      // A token has the limit of the whole answer, not that of its first part.
      let cut = try await service.send("GET", "\(path)?\(rect)&limit=1500").object
      if let next = cut["next"] as? String {
        let rest = try await service.send("GET", "\(path)?after=\(next)").object
        #expect((rest["elements"] as? [Any])?.count == min(1500, whole.elements.count - 1500))
      } else {
        #expect(whole.elements.count <= 1500)
      }
    }
  }
}

extension LayoutAttributes {
  fileprivate var key: String? { if case .cell(let key) = category { key } else { nil } }
}
