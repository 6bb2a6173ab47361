import Foundation
import HTTPTypes
import LayoutCache
import LayoutGeometry
import Testing

@testable import LayoutCacheService

/// Views over HTTP.
@Suite struct ViewServiceTests {
  private static let dataset = "/v1/datasets/feed"
  private static let path = "\(dataset)/layouts/phone"
  private static let cheap = "where=n%20%3C%204&order=-n"

  /// A feed in which the numbers of items are members of their data.
  private func run(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.fed { service in
      var operations: [BatchOperation] = []
      try service.cache.forEachItem(of: "feed") { _, item in
        let number = item.key.dropFirst()
        operations.append(.data(key: item.key, try ItemData(json: #"{"n":\#(number)}"#)))
      }
      try service.cache.update("feed", with: operations)
      try await body(service)
    }
  }

  private func keys(_ answer: TestAnswer) -> [String] {
    let elements = answer.object["elements"] as? [[String: Any]] ?? []
    return elements.compactMap { $0["key"] as? String }
  }

  @Test func eachReadAnswersFromTheView() async throws {
    try await run { service in
      let elements = try await service.send("GET", "\(Self.path)/elements?from=0.0&\(Self.cheap)")
      #expect(keys(elements) == ["i3", "i2", "i1", "i0"], "\(elements.text)")
      let item = try await service.send(
        "GET", "\(Self.dataset)/items/i2?layout=phone&\(Self.cheap)")
      #expect(item.object["item"] as? Int == 1 && item.object["sectionKey"] as? String == "main")
      let hidden = "\(Self.dataset)/items/i4?layout=phone"
      #expect(try await service.send("GET", "\(hidden)&\(Self.cheap)").status == 404)
      #expect(try await service.send("GET", hidden).status == 200)
      let sections = try await service.send(
        "GET", "\(Self.dataset)/sections?layout=phone&\(Self.cheap)")
      #expect(sections.text.contains(#""sectionKey":"main","firstItem":0,"items":4"#))
      #expect(sections.text.contains(#""total":{"sections":1,"items":4}"#), "\(sections.text)")
      let top = try await service.send("GET", "\(Self.path)/hit-test?point=1,60&\(Self.cheap)")
      #expect(top.object["key"] as? String == "i3", "\(top.text)")
      let target = try await service.send(
        "GET", "\(Self.path)/target-offset?offset=0,99999&size=390,10&\(Self.cheap)")
      let whole = try await service.send(
        "GET", "\(Self.path)/target-offset?offset=0,99999&size=390,10")
      #expect(target.status == 200 && target.text != whole.text)
      for query in ["transition?rect=0,0,9,9&since=1", "anchor?visible=0,0,9,9&since=1"] {
        let answer = try await service.send("GET", "\(Self.path)/\(query)&\(Self.cheap)")
        #expect(answer.object["everything"] as? Bool == true, "\(answer.text)")
      }
      let changes = try await service.send("GET", "\(Self.path)/elements?since=1&\(Self.cheap)")
      #expect(changes.text.contains(#""reason":"temporary""#), "\(changes.text)")
    }
  }

  @Test func answersAreValidatedByTheViewAndFollowChanges() async throws {
    try await run { service in
      let query = "\(Self.path)/elements?from=0.0&"
      let first = try await service.send("GET", query + Self.cheap)
      let tag = try #require(first.headers["etag"])
      let known = ["If-None-Match": tag]
      #expect(try await service.send("GET", query + Self.cheap, headers: known).status == 304)
      for other in ["where=n%20%3C%205&order=-n", "where=n%20%3C%204", "order=-n", ""] {
        #expect(try await service.send("GET", query + other, headers: known).status == 200)
      }
      let equal = "where=(n%3C4)&order=-n"
      #expect(try await service.send("GET", query + equal, headers: known).status == 304)
      let data = try ItemData(json: #"{"n":0.5}"#)
      try service.cache.update("feed", with: [.data(key: "i7", data)])
      let next = try await service.send("GET", query + Self.cheap, headers: known)
      #expect(next.status == 200 && keys(next) == ["i3", "i2", "i1", "i7", "i0"])
      let pinned = "\(query)\(Self.cheap)&at=\(tag.replacing("\"", with: "%22"))"
      #expect(try await service.send("GET", pinned).status == 409)
    }
  }

  /// The commit is the dataset's.
  @Test(arguments: ["batches", "undo"])
  func aChangeIsAnsweredForTheViewThatIsNamed(_ route: String) async throws {
    try await run { service in
      let body = #"{"op":"data","key":"i7","data":{"n":0.5}}"#
      _ = try await name("cheap", #"{"where":"n < 4"}"#, in: service)
      for query in ["view=cheap", Self.cheap, "order=n"] {
        let before = try service.cache.dataset("feed").revision
        let sent = route == "undo" ? "" : body.replacing("0.5", with: "0.\(before)")
        let path = "\(Self.dataset)/\(route)?layout=phone&\(query)"
        for (wrong, status) in [("&visible=0,0,9,9", 400), ("&view=none", 400)] {
          #expect(try await service.send("POST", path + wrong, body: sent).status == status)
        }
        let none = "\(Self.dataset)/\(route)?layout=phone&view=none"
        #expect(try await service.send("POST", none, body: sent).status == 404)
        #expect(try service.cache.dataset("feed").revision == before)
        let answer = try await service.send("POST", path, body: sent)
        #expect(answer.object["revision"] as? Int == before + 1, "\(answer.text)")
        let updates = try #require(answer.object["updates"] as? [String: Any])
        #expect(updates["reason"] as? String == "temporary" && updates["items"] == nil)
        let layouts = try #require(answer.object["layouts"] as? [[String: Any]])
        #expect(layouts.map { $0["layout"] as? String } == ["phone"])
        #expect(layouts.allSatisfy { $0["reason"] as? String == "temporary" })
      }
    }
  }

  @Test func aTokenContinuesItsViewOnly() async throws {
    try await run { service in
      let page = try await service.send(
        "GET", "\(Self.path)/elements?from=0.0&count=2&\(Self.cheap)")
      let next = try #require(page.object["next"] as? String)
      let rest = try await service.send("GET", "\(Self.path)/elements?after=\(next)&\(Self.cheap)")
      #expect(keys(rest) == ["i1", "i0"], "\(rest.text)")
      let other = try await service.send("GET", "\(Self.path)/elements?after=\(next)")
      #expect(other.status == 400 && other.text.contains("another view"), "\(other.text)")
    }
  }

  /// Of comparisons with a number, if the first items have only texts that look like numbers.
  @Test(arguments: [
    ("price < 100", ["price"]), ("price = 5 OR n < 3", ["price"]),
    ("NOT (price 1 TO 2)", ["price"]),
    ("price = '5'", []), ("price CONTAINS 5", []), ("n < 5", []), ("mixed < 5", []),
    ("word < 5", []), ("none < 5", []), ("width < 5 AND key = 5", []),
    ("price > 1 AND size IN [1, a]", ["price", "size"]),
  ])
  func aFilterThatComparesTextsWithNumbersIsHintedAt(filter: String, names: [String]) async throws {
    try await run { service in
      let data = try ItemData(
        json: #"{"n":1,"price":"12.5","size":"3","mixed":"7","word":"seven"}"#)
      let other = try ItemData(json: #"{"mixed":7,"price":null}"#)
      try service.cache.update("feed", with: [.data(key: "i0", data), .data(key: "i1", other)])
      let text = filter.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
      let answer = try await service.send("GET", "\(Self.path)/elements?rect=0,0,9,9&where=\(text)")
      let hints = answer.object["hints"] as? [String] ?? []
      #expect(hints.count == names.count, "\(answer.text)")
      for (hint, name) in zip(hints, names) { #expect(hint.contains("'\(name)'")) }
    }
  }

  private func name(
    _ name: String, _ body: String, in service: TestService
  ) async throws -> TestAnswer {
    try await service.send(
      "PUT", "\(Self.dataset)/views/\(name)", headers: ["Content-Type": "application/json"],
      body: body)
  }

  /// As its filter and its order, by each route that takes them.
  @Test func aNamedViewAnswersAsItsDefinition() async throws {
    try await run { service in
      let body = #"{"where":"n < 4","order":[{"by":"n","descending":true}]}"#
      #expect(try await name("cheap", body, in: service).status == 201)
      let routes = Routes.all.filter {
        $0.method == .get && $0.query.contains(.view) && !$0.path.hasSuffix("events")
      }
      #expect(routes.count == 8)
      for route in routes {
        let path = route.path.replacing("{dataset}", with: "feed")
          .replacing("{layout}", with: "phone").replacing("{key}", with: "i2")
        let given = [
          "elements": "from=0.0", "hit-test": "point=1,60", "transition": "rect=0,0,9,9",
          "anchor": "visible=0,0,9,9", "target-offset": "offset=0,9", "sections": "layout=phone",
          "items": "layout=phone&key=i2", "i2": "layout=phone",
        ]
        let query = try #require(given[String(path.split(separator: "/").last ?? "")])
        let named = try await service.send("GET", "\(path)?\(query)&view=cheap")
        let stated = try await service.send("GET", "\(path)?\(query)&\(Self.cheap)")
        #expect(named.status == 200 && named.text == stated.text, "\(path): \(named.text)")
        #expect(named.headers["etag"] == stated.headers["etag"])
        for (wrong, status) in [("view=none", 404), ("view=cheap&where=n%3D1", 400)] {
          let answer = try await service.send("GET", "\(path)?\(query)&\(wrong)")
          #expect(answer.status == status, "\(path): \(answer.text)")
        }
      }
    }
  }

  @Test func namedViewsAreListedChangedAndRemoved() async throws {
    try await run { service in
      let views = "\(Self.dataset)/views"
      #expect(try await name("low", #"{"where":"n<4 AND (n>1)"}"#, in: service).status == 201)
      let again = try await name("low", #"{"order":[{"by":"n"}]}"#, in: service)
      #expect(again.status == 200 && again.text == #"{"view":"low","order":[{"by":"n"}]}"#)
      #expect(try await service.send("GET", "\(views)/low").text == again.text)
      _ = try await name("high", #"{"where":"n >= 4"}"#, in: service)
      let page = try await service.send("GET", "\(views)?limit=1")
      #expect(
        page.text == #"{"dataset":"feed","views":[{"view":"high","where":"n >= 4"}],"next":"high"}"#
      )
      let rest = try await service.send("GET", "\(views)?after=high")
      #expect(rest.text == #"{"dataset":"feed","views":[\#(again.text)]}"#)
      for (body, status) in [
        (#"{"where":"n <"}"#, 400), (#"{"order":"n"}"#, 422), (#"{"keys":["a"],"order":[]}"#, 422),
        (#"{"keys":"a"}"#, 422), (#"{"keys":["a","a"]}"#, 400),
        (#"{"where":1}"#, 422), ("", 422), (#"{"order":[{"by":""}]}"#, 400),
      ] {
        #expect(try await name("bad", body, in: service).status == status, "\(body)")
      }
      let list = #"{"view":"list","keys":["i7","none","i3"]}"#
      let named = try await name("list", #"{"keys":["i7","none","i3"]}"#, in: service)
      #expect(named.status == 201 && named.text == list)
      #expect(try await service.send("GET", "\(views)/list").text == list)
      let shown = try await service.send("GET", "\(Self.path)/elements?from=0.0&view=list")
      #expect(keys(shown) == ["i7", "i3"])
      let listed = try await service.send("GET", "\(views)?after=high&limit=1")
      #expect(listed.text.contains(#"{"view":"list","keyCount":3}"#))
      #expect(try await service.send("DELETE", "\(views)/low").status == 204)
      #expect(try await service.send("DELETE", "\(views)/low").status == 404)
      #expect(try await service.send("GET", "\(views)/low").status == 404)
    }
  }

  @Test(arguments: [
    ("layouts/phone/elements?from=0.0&where=n%20%3C", "expected a value, found the end"),
    ("layouts/phone/elements?from=0.0&where=", "the end"),
    ("layouts/phone/elements?from=0.0&order=", "names of members"),
    ("layouts/phone/elements?from=0.0&order=a,b,c,d,e", "number of members"),
    ("layouts/phone/elements?from=0.0&where=n%3D1&where=n%3D2", "where"),
    ("events?wait=1&since=0&where=n%3D1", "'where' cannot be combined with 'wait'"),
    ("sections?where=n%3D1", "requires 'layout'"), ("items/i1?order=n", "requires 'layout'"),
    ("layouts/phone/movement?key=i1&point=1,1&where=n%3D1", "unknown query parameter"),
  ])
  func faultsAreNamed(request: String, detail: String) async throws {
    try await run { service in
      let answer = try await service.send("GET", "\(Self.dataset)/\(request)")
      #expect(answer.status == 400, "\(answer.text)")
      #expect((answer.object["detail"] as? String ?? "").contains(detail), "\(answer.text)")
    }
  }
}
