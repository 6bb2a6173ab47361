import CollectionLayout
import Dispatch
import LayoutCache
import LayoutCacheService
import LayoutGeometry
import Testing

/// Previews over HTTP.
@Suite struct PreviewServiceTests {
  private static let path = "/v1/datasets/feed/layouts/phone/elements"
  private static let query = "?rect=0,300,390,400&visible=0,300,390,400"
  private static let batch =
    #"[{"op":"delete","keys":["i5"]},{"op":"resize","key":"i0","width":4,"height":9}]"#

  private func preview(
    _ service: TestService, _ body: String, at query: String = Self.query
  ) async throws -> TestAnswer {
    try await service.send(
      "POST", Self.path + query, headers: ["Content-Type": "application/json"], body: body)
  }

  @Test(arguments: [
    ("{}", 422, "operations"), ("[]", 422, "the body is not a JSON object"), ("", 422, ""),
    ("{\n\"operations\":", 422, "the body is not JSON: expected a value at byte 16"),
    (#"{"operations":7}"#, 422, "operations"),
    (#"{"operations":[],"undoTo":1}"#, 422, "undoTo cannot be combined with operations"),
    (#"{"undoTo":-1}"#, 422, "not a revision"), (#"{"undoTo":1.5}"#, 422, "undoTo"),
    (#"{"undoTo":2}"#, 400, "has no revision 2"), (#"{"undoTo":0}"#, 409, "an import"),
    (#"{"operation":[]}"#, 422, "operations"),
    (#"{"operations":[{"op":"fly"}]}"#, 422, "op is"),
    (
      #"{"operations":[{"op":"delete","keys":["i1"]},{"op":"delete","keys":["none"]}]}"#, 409,
      "operation 2"
    ),
    (
      #"{"operations":[{"op":"delete","keys":[]},{"op":"delete","keys":[""]}]}"#,
      422, "operation 2"
    ),
    (#"{"configuration":{"container":{"width":390},"colums":2}}"#, 422, "colums"),
    (#"{"configuration":null}"#, 422, "configuration"),
    (#"{"configuration":{"container":{"widths":{}}}}"#, 400, ""),
  ])
  func errorsNameTheMember(body: String, status: Int, detail: String) async throws {
    try await TestService.fed { service in
      let answer = try await preview(service, body)
      #expect(answer.status == status, "\(answer.text)")
      let text = answer.object["detail"] as? String ?? ""
      #expect(detail.isEmpty || text.contains(detail), "\(text)")
      #expect(try service.cache.dataset("feed").revision == 1)
    }
  }

  @Test func limitsAreThoseOfTheRoute() async throws {
    try await TestService.fed { service in
      let padding = String(repeating: " ", count: 64 << 10)
      #expect(try await preview(service, #"{"undoTo":1}"# + padding).status == 413)
      for query in ["", "?rect=0,0,1,1&anchor=end", "?rect=0,0,1,1&since=1", "?rect=0,0,1,1&at=x"] {
        #expect(try await preview(service, #"{"undoTo":1}"#, at: query).status == 400, "\(query)")
      }
      let missing = Self.path.replacing("phone", with: "none")
      #expect(try await service.send("POST", missing + Self.query, body: "{}").status == 422)
      let none = try await service.send("POST", missing + Self.query, body: #"{"undoTo":1}"#)
      #expect(none.status == 404)
    }
  }

  /// A kind whose first item is placed when the test permits it.
  private struct Gate: SectionLayout {
    static let kind = "gate"
    static let (begun, isOpen) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))

    init(options: [String: ConfigurationValue], in space: SectionSpace) {}
    func place(
      _ item: LayoutItem, in context: ItemContext, state: inout [Int64]
    ) -> ItemPlacement {
      if state.isEmpty {
        Self.begun.continuation.yield()
        Self.isOpen.wait()
        state = [1]
      }
      return ItemPlacement(frame: Rect(origin: .zero, size: item.size), advance: item.size.height)
    }
  }

  @Test func aClientHasOnePreviewThatTakesAPass() async throws {
    let service = try await TestService(sectionLayouts: [Gate.self])
    try service.makeFeed()
    func draft(_ section: String) async throws -> TestAnswer {
      try await preview(
        service, #"{"configuration":{"container":{"width":80},"section":\#(section)}}"#)
    }
    let waiting = Task {
      defer { Gate.begun.continuation.finish() }
      return try await draft(#"{"kind":"gate"}"#)
    }
    for await _ in Gate.begun.stream { break }
    let second = try await draft(#"{"columns":2}"#)
    #expect(second.status == 503 && second.headers["retry-after"] == "1", "\(second.text)")
    #expect(second.object["type"] as? String == "/problems#preparing")
    // A batch that takes no pass needs no permit.
    let batch = try await preview(service, #"{"operations":\#(Self.batch)}"#)
    #expect(batch.status == 200, "\(batch.text)")
    Gate.isOpen.signal()
    #expect(try await waiting.value.status == 200)
    #expect(try await draft(#"{"columns":2}"#).status == 200)
    try await service.stop()
  }
}
