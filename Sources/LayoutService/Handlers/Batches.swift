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
    let query = exchange.query
    let visible = try query.rect("visible")
    let expected = try expectedRevision(exchange)
    let layout = query["layout"].map { LayoutID($0, of: exchange.dataset) }
    let body = try await exchange.body.collect(
      bytesMax: exchange.service.configuration.limits.batchBytesMax)
    let request = try idempotentRequest(exchange, body)
    let (cache, dataset) = (exchange.cache, exchange.dataset)
    @Sendable func answer(_ commit: Commit) -> [UInt8] {
      var commit = commit
      if let layout { commit.layouts.removeAll { $0.layout != layout.layout } }
      var json = JSONWriter()
      commit.write(to: &json)
      return json.bytes
    }
    let begun = ContinuousClock.now
    let outcome = try await exchange.blocking { () -> RequestOutcome in
      let records = try read(body)
      let operations = records.map(\.operation)
      // So that the commit takes it along.
      if let layout, !operations.isEmpty { try cache.read(layout) { _ in } }
      do {
        if let request {
          return try cache.update(
            dataset, with: operations, visible: visible, expecting: expected, once: request,
            answer: answer)
        }
        let commit = try cache.update(
          dataset, with: operations, visible: visible, expecting: expected)
        return .committed(commit, answer: answer(commit))
      } catch let error as LayoutCacheError {
        guard case .refused(let refused) = error.code, var problem = Problem(error) else {
          throw error
        }
        problem.line = records[refused.number - 1].line
        throw problem
      }
    }
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
    let stated = try exchange.query.int("expect", in: 0...Int.max)
    guard let header = exchange.request.headers[.ifMatch] else { return stated }
    if header == "*" { return stated }
    var text = header[...]
    if text.count > 1, text.first == "\"", text.last == "\"" {
      text = text.dropFirst().dropLast()
    }
    guard let revision = Int(text), revision >= 0, stated ?? revision == revision else {
      throw Problem(
        .badRequest, "If-Match is a revision, such as \"7\", or *, not '\(excerpt(header))'")
    }
    return revision
  }

  /// What tells that the batch has been sent before, if the client wants that.
  private static func idempotentRequest(
    _ exchange: Exchange, _ body: ByteBuffer
  ) throws -> IdempotentRequest? {
    guard let key = exchange.request.headers[.idempotencyKey] else { return nil }
    return try IdempotentRequest(
      key: key, owner: exchange.caller.name,
      bodyHash: Array(SHA256.hash(data: body.readableBytesView)))
  }

  private static func requireNDJSON(_ request: Request) throws {
    guard let type = request.headers[.contentType] else { return }
    let known = ["application/x-ndjson", "application/ndjson", "application/jsonl", "text/plain"]
    let name = type.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() } ?? ""
    // What curl's --data-binary says unless told otherwise.
    guard known.contains(name) || name == "application/x-www-form-urlencoded" else {
      throw Problem(.unsupportedFormat, "a batch is application/x-ndjson, not \(excerpt(name))")
    }
  }
}

extension Exchange {
  /// What a batch came to; of one that is repeated what it came to the first time.
  fileprivate func answer(_ outcome: RequestOutcome) -> Response {
    switch outcome {
    case .committed(let commit, let bytes):
      var response = answer(type: "application/json", bytes)
      response.headers[.revision] = String(commit.revision)
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
