import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import NIOCore
import TextFormats

/// Handlers for changes.
enum Batches {
  /// Commits a batch of operations, one per line or in a JSON array; at most once if the request
  /// has an idempotency key.
  @Sendable static func commit(_ request: ServiceRequest) async throws -> Response {
    let isJSON = try isJSON(request.http)
    let body = try await request.body.collect(
      bytesMax: request.service.configuration.limits.batchBytesMax)
    let stated = try ChangeParameters(request)
    return try await commit(request) {
      let input: @Sendable () throws -> (ChangeParameters, [BatchRecord]) = {
        (
          try stated.completed(request, hashing: Array(body.readableBytesView)),
          try read(body, isJSON: isJSON)
        )
      }
      let isShort = body.readableBytes <= bytesHereMax && !stated.mayNameVariant
      let (canonical, records) = isShort ? try input() : try await request.blocking(input)
      for record in records {
        if let layout = record.operation.layout { try request.caller.require(layout: layout) }
      }
      do {
        return try await request.update(canonical, records.map(\.operation))
      } catch let error as LayoutCacheError {
        guard case .refused(let number, _) = error.code, var problem = Problem(error) else {
          throw error
        }
        problem.line = records[number - 1].line
        throw problem
      }
    }
  }

  /// The maximum size of a batch that is hashed and read on Swift's cooperative threads, in bytes:
  /// that takes about a millisecond.
  private static let bytesHereMax = 64 << 10

  /// Reverts the newest commit, or those after a revision; at most once if the request has an
  /// idempotency key.
  @Sendable static func undo(_ request: ServiceRequest) async throws -> Response {
    let stated = try ChangeParameters(request)
    let target = try request.query.revision(.to)
    return try await commit(request) {
      try await request.deciding {
        // The path and the query identify the request; it has no body.
        let stated = try stated.completed(request, hashing: Array(request.http.uri.string.utf8))
        return try request.cache.undo(
          stated.dataset, to: target, visible: stated.visible, anchor: stated.anchor,
          direction: stated.direction, preparing: stated.layouts, expecting: stated.expected,
          once: stated.request, answer: stated.text)
      }
    }
  }

  fileprivate struct ChangeParameters: Sendable {
    let dataset: String
    let visible: Rect?
    let anchor: OffsetAnchor
    let direction: LayoutConfiguration.LayoutDirection?
    let expected: Int?
    /// The view of the dataset that the answer is about.
    private let view: DatasetView?
    private let caller: Caller
    /// The one layout requested.
    private(set) var layout: LayoutID?
    private(set) var request: IdempotentRequest?
    private let bytesMax: Int

    init(_ request: ServiceRequest) throws {
      bytesMax = request.answerBytesMax
      dataset = request.dataset
      visible = try request.query.rect(.visible)
      anchor = try request.query.choice(.anchor, of: OffsetAnchor.self) ?? .cell
      direction = request.direction
      if visible == nil { try request.query.refuse([.anchor, .direction], "needs 'visible'") }
      (view, caller) = (request.view, request.caller)
      if view != nil { try request.query.refuse([.visible], "cannot be combined with a view") }
      expected = try request.expectedRevision()
      layout = request.query[.layout].map { LayoutID($0, of: request.dataset) }
    }

    /// Whether the name of the layout must be looked up.
    var mayNameVariant: Bool { layout?.mayBeVariant ?? false }

    /// Returns the parameters with the name of the variant that the layout's name means, and with
    /// the identity for detecting a repeated change if the client sends an idempotency key.
    ///
    /// - Parameter hashed: The bytes that distinguish the change from others.
    func completed(_ request: ServiceRequest, hashing hashed: [UInt8]) throws -> ChangeParameters {
      var stated = self
      stated.layout = try layout.map { try request.cache.canonical($0) }
      if let key = request.http.headers[.idempotencyKey] {
        stated.request = try IdempotentRequest(
          key: key, owner: request.caller.name, bodyHash: SHA256.hash(hashed))
      }
      return stated
    }

    /// The layouts that the commit brings up to date.
    var layouts: UpdatedLayouts { layout.map { .named([$0.layout]) } ?? .inUse }

    @Sendable func text(of commit: Commit) -> [UInt8] {
      var commit = commit
      if let view, !commit.changesNothing { commit = commit.everything(in: view) }
      commit.layouts.removeAll { !caller.may(useLayout: $0.layout) }
      commit.behind.removeAll { !caller.may(useLayout: $0.layout) }
      if let layout { commit.layouts.removeAll { !$0.layout.isExactly(layout.layout) } }
      return commit.json(bytesMax: bytesMax)
    }
  }

  private static func commit(
    _ request: ServiceRequest, _ body: () async throws -> ChangeOutcome
  ) async throws -> Response {
    let begun = ContinuousClock.now
    let outcome = try await body()
    var response = request.respond(outcome)
    var timing = "work;dur=\(milliseconds(begun.duration(to: .now)))"
    if case .applied(let applied) = outcome {
      timing = "layout;dur=\(milliseconds(applied.layoutDuration)), \(timing)"
    }
    response.headers[.serverTiming] = timing
    return response
  }

  private static func milliseconds(_ duration: Duration) -> Double {
    Double(duration.wholeMicroseconds) / 1_000
  }

  private static func read(_ body: ByteBuffer, isJSON: Bool) throws -> [BatchRecord] {
    var reader = BatchReader()
    // One operation is an array of one: unlike a line of NDJSON, it may span lines.
    let isObject =
      isJSON && body.readableBytesView.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
    if isObject { try reader.consume(Array("[".utf8)) }
    try body.withUnsafeReadableBytes { try reader.consume($0) }
    if isObject { try reader.consume(Array("]".utf8)) }
    return try reader.finish()
  }

  /// Returns whether the body is JSON, in which one operation may span lines, and not NDJSON.
  private static func isJSON(_ request: Request) throws -> Bool {
    guard request.headers[.contentType] != nil else { return false }
    let known = ["application/x-ndjson", "application/ndjson", "application/jsonl"]
    let name = request.headers.mediaType ?? ""
    if name == "application/json" { return true }
    // The default content type of curl's --data-binary.
    guard known.contains(name) || name == "application/x-www-form-urlencoded" else {
      throw Problem(
        .unsupportedFormat,
        "a batch must be application/x-ndjson or application/json, not \(excerpt(name))")
    }
    return false
  }
}

extension ServiceRequest {
  /// Commits a batch: together with others, or through the shared log on a cluster node.
  fileprivate func update(
    _ stated: Batches.ChangeParameters, _ operations: [BatchOperation]
  ) async throws -> ChangeOutcome {
    guard service.node != nil else {
      return try await cache.performUpdate(
        stated.dataset, with: operations, visible: stated.visible, anchor: stated.anchor,
        direction: stated.direction, preparing: stated.layouts, expecting: stated.expected,
        once: stated.request, answer: stated.text)
    }
    let cache = cache
    return try await deciding {
      try cache.update(
        stated.dataset, with: operations, visible: stated.visible, anchor: stated.anchor,
        direction: stated.direction, preparing: stated.layouts, expecting: stated.expected,
        once: stated.request, answer: stated.text)
    }
  }

  /// Returns the answer to a batch; for a repeated batch, the answer to the first request.
  fileprivate func respond(_ outcome: ChangeOutcome) -> Response {
    switch outcome {
    case .applied(let applied):
      var response = respond(type: "application/json", applied.answer ?? [])
      response.headers[.revision] = String(applied.commit.revision)
      return response
    case .replayed(let revision, let known):
      var response =
        known.map { respond(type: "application/json", $0) }
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

extension ServiceRequest {
  /// Returns the revision of the dataset that the request expects, from the header or the query.
  func expectedRevision() throws -> Int? {
    let stated = try query.revision(.expect)
    guard let header = http.headers[.ifMatch] else { return stated }
    if header == "*" { return stated }
    var text = header[...]
    if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    guard let revision = revision(text), stated ?? revision == revision else {
      throw Problem(
        .badRequest, "If-Match must be a revision, such as \"7\", or *, not '\(excerpt(header))'")
    }
    return revision
  }
}
