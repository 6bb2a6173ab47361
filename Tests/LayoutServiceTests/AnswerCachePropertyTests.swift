import LayoutCache
import LayoutCacheService
import LayoutGeometry
import TestSupport
import Testing

// Strategy: two services of one cache, one with a small cache of answers and one without. Random
// requests are sent to both, to the first one several times, with random edits in between:
// batches, other configurations, renamed, removed and re-created layouts and datasets.
//
// Invariants: both services send the same bytes and the same headers; some answers come from the
// cache, and none comes from it in the other service.

@Suite struct AnswerCachePropertyTests {
  @Test(.property, arguments: PropertyRun.seeds.prefix(3))
  func answersAreTheSameWithAndWithoutTheCache(seed: UInt64) async throws {
    let plain = try await TestService { $0.limits.answerCacheBytes = 0 }
    let caching = try await TestService({ $0.limits.answerCacheBytes = 60_000 }, sharing: plain)
    var run = Run(plain: plain, caching: caching, generator: SeededGenerator(seed: seed))
    try run.begin()
    for _ in PropertyRun.each(seed, steps: 120) { try await run.step() }
    #expect(try await AnswerCacheTests.storedAnswers(of: caching) > 20)
    #expect(try await AnswerCacheTests.storedAnswers(of: plain) == 0)
    try await caching.stop()
    try await plain.stop()
    try plain.cache.close()
  }

  private struct Run {
    let plain: TestService
    let caching: TestService
    var generator: SeededGenerator
    var itemCount = 60
    var tags: [String] = []
    /// The headers that may differ: the time of the answer.
    private static let volatile: Set<String> = ["date", "server-timing", "x-request-id"]

    init(plain: TestService, caching: TestService, generator: SeededGenerator) {
      (self.plain, self.caching, self.generator) = (plain, caching, generator)
    }

    var cache: LayoutCache { plain.cache }
    private var phone: LayoutID { LayoutID("phone", of: "feed") }

    func begin() throws {
      try plain.makeFeed(items: itemCount)
      try cache.setLayout(
        LayoutID("fit", of: "feed"),
        to: ConfigurationText.decode(
          #"{"container":{"widths":{"step":8,"keep":4}},"section":{"columns":2,"columnSpacing":8}}"#
        ))
    }

    mutating func step() async throws {
      if generator.oneIn(3) { try edit() }
      let layout = ["phone", "phone", "desk", "fit@390", "fit@390.0", "fit@500"]
        .randomElement(using: &generator)!
      let target = "/v1/datasets/\(generator.oneIn(4) ? "other" : "feed")/layouts/\(layout)"
      let query = [
        "rect=0,0,390,800", "rect=0,0,390,800", "rect=0,0,390,800&data=true",
        "rect=0,0,390,400&rect=0,400,390,400", "from=0.3&count=5", "rect=0,0,390,800&limit=3",
        "rect=0,0,390,900&visible=0,100,390,700", "rect=0,0,390,800&asLaidOut=true",
        "rect=0,0,390,800&offset=s:5", "rect=0,%30,390,800", "rect=0,0,390,x", "since=0",
      ].randomElement(using: &generator)!
      var pin = ""
      if generator.oneIn(4), let tag = tags.randomElement(using: &generator) {
        pin = "&at=\(tag.filter { !"W/\"".contains($0) })"
      }
      var headers: [String: String] = [:]
      if generator.oneIn(3) { headers["Accept-Encoding"] = "gzip" }
      if generator.oneIn(4), let tag = tags.randomElement(using: &generator) {
        headers["If-None-Match"] = tag
      }
      let method = generator.oneIn(8) ? "HEAD" : "GET"
      let path = "\(target)/elements?\(query)\(pin)"
      let expected = try await plain.send(method, path, headers: headers)
      for _ in 0..<3 {
        let found = try await caching.send(method, path, headers: headers)
        #expect(found.status == expected.status, "\(path)")
        #expect(found.body == expected.body, "\(path) \(headers)")
        #expect(stable(found) == stable(expected), "\(path) \(headers)")
      }
      if let tag = expected.headers["etag"] { tags = tags.suffix(5) + [tag] }
    }

    private func stable(_ answer: TestAnswer) -> [String: String] {
      answer.headers.filter { !Self.volatile.contains($0.key) }
    }

    /// Makes a change, which has no effect if what it names does not exist, or exists already, or
    /// if there is nothing to undo.
    private func attempt(_ change: () throws -> Void) throws {
      do { try change() } catch let error as LayoutCacheError {
        if case .cannotUndo = error.code { return }
        if ![.notFound, .usage].contains(error.category) { throw error }
      }
    }

    /// Changes the dataset or its layouts.
    private mutating func edit() throws {
      let key = "i\(Int.random(in: 0..<60, using: &generator))"
      switch Int.random(in: 0..<12, using: &generator) {
      case 0..<4:
        let height = Length(units: 64 * Int64.random(in: 1...9, using: &generator))
        let resize = BatchOperation.resize(key: key, size: Size(width: 4, height: height))
        try attempt { try cache.update("feed", with: [resize]) }
      case 4: try attempt { try cache.update("feed", with: [.delete(keys: [key])]) }
      case 5: try attempt { try cache.undo("feed") }
      case 6:
        let columns = Int.random(in: 1...3, using: &generator)
        let text = #"{"container":{"width":390},"section":{"columns":\#(columns)}}"#
        try attempt { try cache.setLayout(phone, to: ConfigurationText.decode(text)) }
      case 7: try attempt { try cache.renameLayout(phone, to: "desk") }
      case 8, 9:
        try attempt { try cache.renameLayout(LayoutID("desk", of: "feed"), to: "phone") }
      case 10:
        if try cache.datasets().map(\.name) == ["feed"] {
          try cache.renameDataset("feed", to: "other")
        } else {
          try attempt { try cache.renameDataset("other", to: "feed") }
        }
      default:
        for name in ["feed", "other"] { try attempt { try cache.removeDataset(name) } }
        try begin()
      }
      if try cache.datasets().isEmpty { try begin() }
    }
  }
}
