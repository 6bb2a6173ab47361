import Foundation
import Testing

@testable import LayoutCache
@testable import LayoutCacheService

/// Sorted datasets over HTTP.
@Suite struct OrderServiceTests {
  private static let path = "/v1/datasets/shop"

  private func run(_ body: (TestService) async throws -> Void) async throws {
    let service = try await TestService()
    let result: Result<Void, any Error>
    do { result = .success(try await body(service)) } catch { result = .failure(error) }
    try await service.stop()
    try service.cache.close()
    try result.get()
  }

  private func keys(_ service: TestService) throws -> [String] {
    var keys: [String] = []
    try service.cache.forEachItem(of: "shop") { section, item in
      keys.append("\(section)/\(item.key)")
    }
    return keys
  }

  @Test func aDatasetIsCreatedAndSortedByABody() async throws {
    try await run { service in
      let order = #"{"order":[{"by":"price"},{"by":"name","descending":true}]}"#
      let created = try await service.send("PUT", Self.path, body: order)
      #expect(created.status == 201)
      #expect(created.text.contains(#""order":[{"by":"price"},{"by":"name","descending":true}]"#))
      #expect(try await service.send("PUT", Self.path).status == 200)
      let batch = """
        {"op":"insertSection","key":"s"}
        {"op":"insert","section":"s","items":[{"key":"a","width":1,"height":1,"data":{"price":2}},\
        {"key":"b","width":1,"height":1,"data":{"price":1}}]}
        """
      #expect(try await service.send("POST", "\(Self.path)/batches", body: batch).status == 200)
      #expect(try keys(service) == ["s/b", "s/a"])
      let derived = #"{"order":null,"sections":{"by":"price","descending":true}}"#
      let stale = try await service.send(
        "PUT", Self.path, headers: ["If-Match": "1"], body: derived)
      #expect(stale.status == 412)
      let sorted = try await service.send(
        "PUT", Self.path, headers: ["If-Match": "2"], body: derived)
      #expect(sorted.status == 200 && sorted.headers["layoutcache-revision"] == "3")
      #expect(sorted.text.contains(#""order":[],"sectionsBy":{"by":"price","descending":true}"#))
      #expect(try keys(service) == ["2/a", "1/b"])
      for (path, status) in [(Self.path, 412), (Self.path + "2", 404)] {
        let answer = try await service.send("PUT", path, headers: ["If-Match": "7"])
        #expect(answer.status == status)
      }
      #expect(try await service.send("PUT", Self.path, body: #"{"order":null}"#).status == 200)
      #expect(try service.cache.dataset("shop").order == nil)
      #expect(try keys(service) == ["2/a", "1/b"])
    }
  }

  @Test(arguments: [
    #"{"order":[{"by":"a"},{"by":"b"},{"by":"c"},{"by":"d"},{"by":"e"}]}"#,
    #"{"order":[{"by":""}]}"#, #"{"order":[{}]}"#, #"{"order":[{"by":"a","up":true}]}"#,
    #"{"order":"a"}"#, #"{"sections":{"by":"a","part":"week"}}"#, #"{"sections":{}}"#,
    #"{"order":[],"style":"s"}"#, "[]", "{",
  ])
  func aBodyThatIsNoOrderIsRejected(_ body: String) async throws {
    try await run { service in
      let answer = try await service.send("PUT", Self.path, body: body)
      #expect(answer.status == 422 && answer.object["line"] as? Int == 1, "\(answer.text)")
      #expect(try service.cache.datasets().isEmpty)
    }
  }

  /// Texts that are words of JSON, or cannot be a section's key, and years before 1000.
  @Test(arguments: [
    (#""value""#, ["false", "true", "x"]),
    (#""year""#, ["0001-01-01", "2023-01-01", "2024-05-01"]),
  ])
  func derivedSectionsAreInTheOrderOfTheirValues(part: String, values: [String]) async throws {
    try await run { service in
      let order = #"{"order":[],"sections":{"by":"t","part":\#(part)}}"#
      #expect(try await service.send("PUT", Self.path, body: order).status == 201)
      let texts = (values + [String(repeating: "z", count: 256)]).reversed()
      for (number, text) in texts.enumerated() {
        let item = #"{"key":"\#(number)","width":1,"height":1,"data":{"t":"\#(text)"}}"#
        let batch = #"{"op":"upsert","items":[\#(item)]}"#
        #expect(try await service.send("POST", "\(Self.path)/batches", body: batch).status == 200)
      }
      let sections = values.map { part == #""year""# ? String($0.prefix(4)) : $0 } + ["none"]
      let found = try keys(service).map { String($0.prefix { $0 != "/" }) }
      #expect(found == sections)
      let page = try await service.send("GET", "\(Self.path)/sections?after=\(found[0])&count=1")
      #expect(page.text.contains(#""next":"\#(found[1])""#), "\(page.text)")
    }
  }

  @Test func anOperationWithAPlaceIsAProblemOfItsOwn() async throws {
    try await run { service in
      let imported = try await service.send(
        "POST", "\(Self.path)/import?order=-price&sections=-price&data=price:number",
        headers: ["Content-Type": "text/csv"],
        body: "key,width,height,price\na,1,1,10\nb,1,1,9\nc,1,1,10\n")
      #expect(imported.status == 200, "\(imported.text)")
      #expect(try keys(service) == ["10/a", "10/c", "9/b"])
      for operation in [
        #"{"op":"move","key":"a","before":"b"}"#,
        #"{"op":"insert","section":"10","items":[{"key":"d","width":1,"height":1}]}"#,
        #"{"op":"insert","after":"a","items":[{"key":"d","width":1,"height":1}]}"#,
        #"{"op":"upsert","move":true,"items":[{"key":"d","width":1,"height":1}]}"#,
        #"{"op":"moveSection","key":"9","index":0}"#,
      ] {
        let answer = try await service.send("POST", "\(Self.path)/batches", body: operation)
        #expect(answer.status == 409, "\(answer.text)")
        #expect(answer.object["type"] as? String == "/problems#sorted")
        #expect(answer.object["operation"] as? Int == 1)
      }
    }
  }
}
