import Foundation
import LayoutCache
import LayoutGeometry
import TestSupport
import Testing

@testable import LayoutCacheService

/// Searches of the keys and the data of items.
@Suite struct SearchTests {
  private struct Found {
    var keys: [String] = []
    var paths: [String] = []
    var searched = 0
    var next: String?
  }

  /// Sends a search, and checks that its last line is the only one with `next`.
  private func search(_ service: TestService, _ query: String) async throws -> Found {
    let answer = try await service.send("GET", "/v1/datasets/feed/search?\(query)")
    #expect(answer.status == 200, "\(answer.text)")
    #expect(answer.headers["content-type"] == "application/x-ndjson")
    var found = Found()
    let lines = answer.text.split(separator: "\n")
    for (index, line) in lines.enumerated() {
      let json = try #require(
        try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
      #expect((json["next"] != nil) == (index == lines.count - 1))
      if let key = json["key"] as? String {
        found.keys.append(key)
        found.paths.append("\(json["section"] ?? "-").\(json["item"] ?? "-")")
        #expect(json["sectionKey"] as? String == "s\(json["section"] ?? "-")")
      } else {
        found.searched = try #require(json["searched"] as? Int)
        found.next = json["next"] as? String
      }
    }
    return found
  }

  /// A dataset of 4 sections with 250 items each. Every seventh item is a lily.
  private func makeFeed(_ service: TestService) throws {
    _ = try service.cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<1_000 {
        let title = number % 7 == 0 ? "Lily \(number)" : "Rose"
        try importer.add(
          Item(
            key: "i\(number)", width: 4, height: 3,
            data: number % 10 == 3 ? nil : ItemData(json: #"{"title":"\#(title)"}"#)),
          section: "s\(number / 250)")
      }
    }
  }

  @Test func aSearchContinuesWhereItsLimitEndedIt() async throws {
    try await TestService.run { service in
      try makeFeed(service)
      let whole = try await search(service, "text=lily&limit=1000")
      for limit in [1, 17, 100] {
        var (keys, searched, next) = ([String](), 0, Optional("0.0"))
        while let from = next {
          let part = try await search(service, "text=lily&limit=\(limit)&from=\(from)")
          #expect(part.keys.count <= limit)
          keys += part.keys
          searched += part.searched
          next = part.next
        }
        #expect(keys == whole.keys && searched == 1_000)
      }
      // From a position to the end, and from the beginning to that position.
      let second = try await search(service, "text=lily&limit=1000&from=2.100")
      let first = try await search(service, "text=lily&limit=1000&to=2.100")
      #expect(first.keys + second.keys == whole.keys)
      #expect(first.searched == 600 && second.searched == 400)
      let beyond = try await search(service, "text=lily&from=9.0")
      #expect(beyond.searched == 0 && beyond.next == nil)
    }
  }

  @Test func aSearchThatCannotBeginIsAProblem() async throws {
    try await TestService.run {
      $0.limits.searchesMax = 1
      $0.limits.rowsMax = 50
    } _: { service in
      try makeFeed(service)
      let long = String(repeating: "x", count: 1_001)
      for (query, status) in [
        ("", 400), ("text=", 400), ("text=\(long)", 400), ("text=a&limit=0", 400),
        ("text=a&limit=51", 400), ("text=a&from=x", 400), ("text=a&to=-1.0", 400),
      ] {
        let answer = try await service.send("GET", "/v1/datasets/feed/search?\(query)")
        #expect(answer.status == status, "\(query.prefix(20)): \(answer.text)")
      }
      #expect(try await service.send("GET", "/v1/datasets/no/search?text=a").status == 404)
      // A search that has failed frees its place.
      #expect(try await service.send("GET", "/v1/datasets/feed/search?text=a").status == 200)
    }
  }
}
