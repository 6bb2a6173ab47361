import Crypto
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import NIOCore
import TextFormats

/// Changes.
enum Batches {
  /// Commits a batch of operations, an operation a line; once, where it has a key.
  @Sendable static func commit(_ exchange: Exchange) async throws -> Response {
    try requireNDJSON(exchange.request)
    let body = try await exchange.body.collect(
      bytesMax: exchange.service.configuration.limits.batchBytesMax)
    let stated = try Stated(exchange, idempotentRequest(exchange, Array(body.readableBytesView)))
    return try await commit(exchange) { cache in
      let records = try read(body)
      let operations = records.map(\.operation)
      do {
        return try cache.update(
          stated.dataset, with: operations, visible: stated.visible,
          preparing: stated.layouts, expecting: stated.expected, once: stated.request,
          answer: stated.answer)
      } catch let error as LayoutCacheError {
        guard case .refused(let refused) = error.code, var problem = Problem(error) else {
          throw error
        }
        problem.line = records[refused.number - 1].line
        throw problem
      }
    }
  }

  /// Takes the newest commit back; once, where the request has a key.
  @Sendable static func undo(_ exchange: Exchange) async throws -> Response {
    // What is asked for is all in the path and the query.
    let request = try idempotentRequest(exchange, Array(exchange.request.uri.string.utf8))
    let stated = try Stated(exchange, request)
    return try await commit(exchange) { cache in
      try cache.undo(
        stated.dataset, visible: stated.visible, preparing: stated.layouts,
        expecting: stated.expected, once: stated.request, answer: stated.answer)
    }
  }

  /// What is stated with a change.
  private struct Stated: Sendable {
    let dataset: String
    let visible: Rect?
    let expected: Int?
    /// The one layout that is asked for.
    let layout: LayoutID?
    let request: IdempotentRequest?

    init(_ exchange: Exchange, _ request: IdempotentRequest?) throws {
      dataset = exchange.dataset
      visible = try exchange.query.rect("visible")
      expected = try expectedRevision(exchange)
      layout = exchange.query["layout"].map { LayoutID($0, of: exchange.dataset) }
      self.request = request
    }

    /// The layouts that the commit brings up to date.
    var layouts: UpdatedLayouts { layout.map { .named([$0.layout]) } ?? .inUse }

    func answer(_ commit: Commit) -> [UInt8] {
      var commit = commit
      if let layout { commit.layouts.removeAll { $0.layout != layout.layout } }
      var json = JSONWriter()
      commit.write(to: &json)
      return json.bytes
    }
  }

  private static func commit(
    _ exchange: Exchange, _ body: @escaping @Sendable (LayoutCache) throws -> ChangeOutcome
  ) async throws -> Response {
    let cache = exchange.cache
    let begun = ContinuousClock.now
    let outcome = try await exchange.deciding { try body(cache) }
    var response = exchange.answer(outcome)
    let microseconds = begun.duration(to: .now).wholeMicroseconds
    response.headers[.serverTiming] = "work;dur=\(Double(microseconds) / 1_000)"
    return response
  }

  private static func read(_ body: ByteBuffer) throws -> [BatchRecord] {
    var reader = BatchReader()
    try body.withUnsafeReadableBytes { try reader.consume($0) }
    return try reader.finish()
  }

  /// The revision that the batch was made for, as the header or the query says.
  private static func expectedRevision(_ exchange: Exchange) throws -> Int? {
    let stated = try exchange.query.revision("expect")
    guard let header = exchange.request.headers[.ifMatch] else { return stated }
    if header == "*" { return stated }
    var text = header[...]
    if text.count > 1, text.first == "\"", text.last == "\"" {
      text = text.dropFirst().dropLast()
    }
    guard let revision = revision(text), stated ?? revision == revision else {
      throw Problem(
        .badRequest, "If-Match is a revision, such as \"7\", or *, not '\(excerpt(header))'")
    }
    return revision
  }

  /// What tells that a change has been sent before, if the client wants that.
  ///
  /// - Parameter hashed: What tells it from others.
  private static func idempotentRequest(
    _ exchange: Exchange, _ hashed: [UInt8]
  ) throws -> IdempotentRequest? {
    guard let key = exchange.request.headers[.idempotencyKey] else { return nil }
    return try IdempotentRequest(
      key: key, owner: exchange.caller.name,
      bodyHash: Array(SHA256.hash(data: hashed)))
  }

  private static func requireNDJSON(_ request: Request) throws {
    guard let type = request.headers[.contentType] else { return }
    let known = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
    let name = type.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() } ?? ""
    // What curl's --data-binary says unless told otherwise.
    guard known.contains(name) || name == "application/x-www-form-urlencoded" else {
      throw Problem(.unsupportedFormat, "a batch is application/x-ndjson, not \(excerpt(name))")
    }
  }
}

extension Exchange {
  /// What a batch came to; of one that is repeated what it came to the first time.
  fileprivate func answer(_ outcome: ChangeOutcome) -> Response {
    switch outcome {
    case .applied(let applied):
      var response = answer(type: "application/json", applied.answer ?? [])
      response.headers[.revision] = String(applied.commit.revision)
      return response
    case .replayed(let revision, let known):
      var response =
        known.map { answer(type: "application/json", $0) }
        ?? json { json in
          json.beginObject()
          json.member("dataset", dataset)
          json.member("revision", revision)
          json.member("repeated", true)
          json.member("layouts")
          json.beginArray()
          json.endArray()
          json.endObject()
        }
      response.headers[.revision] = String(revision)
      response.headers[.idempotencyReplayed] = "true"
      return response
    }
  }
}
