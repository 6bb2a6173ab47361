import HTTPTypes
import Hummingbird
import LayoutCache
import LayoutGeometry
import NIOPosix
import Synchronization
import TextFormats

/// Handlers that import items from text of any length, in constant memory.
enum Imports {
  private enum Mode: String, CaseIterable {
    case create, append, replace, match

    var importMode: ImportMode {
      switch self {
      case .create: .create
      case .append: .append
      case .replace: .replace
      case .match: .match
      }
    }
  }

  /// The buffer between the connection and the thread that reads, in bytes.
  private static let pipeBytes = 1 << 20
  /// The interval of progress events.
  private static let progressInterval = Duration.milliseconds(250)

  /// Imports the body, and answers once it is committed.
  @Sendable static func start(_ request: ServiceRequest) async throws -> Response {
    if request.http.headers[.ifMatch] != nil {
      throw Problem(.badRequest, "an import takes no If-Match")
    }
    let work = try ItemImport(request)
    let id = try request.query[.id].map(checkedID) ?? randomID()
    let (imports, dataset) = (request.service.imports, request.dataset)
    let place = try request.place(of: request.service.importPlaces)
    try imports.begin(id, dataset: dataset)
    do {
      // The permit is released before the end is recorded, so that a client that sees the end can
      // start another import.
      let outcome = try await receive(request, work, holding: consume place) { change in
        imports.note(id, dataset: dataset, change)
      }
      imports.note(id, dataset: dataset) { $0.state = .done(outcome) }
      return request.respond(outcome, id: id)
    } catch {
      let problem = Problem(error) ?? Problem(.internalError, "see the service's log for the cause")
      imports.note(id, dataset: dataset) { $0.state = .failed(problem) }
      throw error
    }
  }

  /// Checks the mode, and passes the body to a thread that imports it.
  ///
  /// - Parameters:
  ///   - place: The permit, released before the method returns.
  ///   - note: Records the progress of the import.
  private static func receive(
    _ request: ServiceRequest, _ work: ItemImport, holding place: consuming Places.Place,
    note: @escaping @Sendable ((inout ImportRegistry.Progress) -> Void) -> Void
  ) async throws -> ItemImport.Outcome {
    defer { withExtendedLifetime(place) {} }
    let (pace, channel) = (
      TransferPace(request.service.configuration.timeouts), request.context.channel
    )
    let watch = pace.watch(on: channel) { BodyIsLate(detail: pace.detail).trigger(on: channel) }
    defer { watch.cancel() }
    let cache = request.cache
    // Reject what can be rejected before the body is read.
    try await request.blocking { try work.checkMode(in: cache) }
    let pipe = InboundPipe(bytesMax: pipeBytes)
    let task = TaskState()
    return try await withTaskCancellationHandler {
      async let running = {
        // Also if the threads do not run: nothing else would take the body.
        defer { pipe.close() }
        return try await request.service.importThreads.runIfActive {
          // Once all bytes have arrived, the pipe no longer tells the thread that the service
          // stops.
          let unpacker = Unpacker()
          return try LayoutCache.$caller.withValue(request.caller.name) {
            try work.run(into: cache, watchBuilding: { _, _ in try task.check() }) { body in
              guard let piece = try pipe.take() else {
                try unpacker.finish(body)
                note { $0.state = .building }
                return false
              }
              try piece.withUnsafeReadableBytes { try unpacker.unpack($0, body) }
              note { $0.bytes += piece.readableBytes }
              return true
            }
          }
        }
      }()
      do {
        while true {
          pace.waits()
          let piece = try await request.body.next()
          pace.moved(piece?.readableBytes ?? 0)
          guard let piece, await pipe.give(piece) else { break }
        }
        pipe.finish(.success(()))
      } catch {
        pipe.finish(.failure(error))
      }
      return try await running
    } onCancel: {
      task.cancel()
    }
  }

  /// Returns the outcome or the progress of an import; as an event stream, each progress.
  @Sendable static func show(_ request: ServiceRequest) async throws -> Response {
    let (id, dataset, imports) = (request.part("id"), request.dataset, request.service.imports)
    guard let progress = imports.progress(of: id, dataset: dataset) else {
      throw Problem(.notFound, "dataset '\(excerpt(dataset))' has no import '\(excerpt(id))'")
    }
    let type = try request.preferred(of: ["application/json", EventStream.type])
    guard type == EventStream.type else {
      return request.respond(type: type, progress.json(id: id).bytes)
    }
    return try EventStream.response(to: request) { client in
      while let progress = imports.progress(of: id, dataset: dataset) {
        let json = progress.json(id: id).bytes
        await client.send(EventText.text(progress.stateName, json))
        if progress.hasEnded { return }
        try await Task.sleep(for: progressInterval)
      }
    }
  }

  private static func checkedID(_ id: String) throws -> String {
    guard isPlainID(id) else {
      throw Problem(.badRequest, "'id' must have 1 to 64 letters, digits, - or _")
    }
    return id
  }

  fileprivate static func work(_ request: ServiceRequest) throws -> ItemImport {
    let query = request.query
    var options = ImportOptions()
    for option in ImportOption.allCases {
      guard let value = query[QueryParameter(option)] else { continue }
      do { try options.set(option, value) } catch {
        throw Problem(.badRequest, "'\(option)': \(error)")
      }
    }
    let mode = try query.choice(.mode, of: Mode.self) ?? .create
    let duplicateRows = try query.choice(.onDuplicate, of: DuplicateRows.self) ?? .fail
    if mode == .match, duplicateRows == .update {
      throw Problem(.badRequest, "'onDuplicate=update' cannot be combined with mode=match")
    }
    let missing = try query.choice(.missing, of: MissingItems.self)
    if missing != nil, mode != .match {
      throw Problem(.badRequest, "'missing' requires mode=match")
    }
    return ItemImport(
      dataset: request.dataset, mode: mode.importMode,
      format: try query.choice(.format, of: TextFormat.self)
        ?? format(request.http.headers),
      options: options,
      invalidRows: try query.choice(.onInvalid, of: ItemImport.InvalidRows.self) ?? .fail,
      duplicateRows: duplicateRows, missing: missing ?? .remove,
      allowsEmpty: try query.flag(.allowEmpty))
  }

  private static func format(_ headers: HTTPFields) throws -> TextFormat {
    switch headers.mediaType {
    case "text/csv": return .csv
    case "text/tab-separated-values": return .tsv
    case "application/x-ndjson", "application/ndjson", "application/jsonl": return .ndjson
    default:
      throw Problem(
        .unsupportedFormat,
        "unknown body format; send Content-Type text/csv, text/tab-separated-values or "
          + "application/x-ndjson, or format=csv, tsv or ndjson")
    }
  }
}

/// The cancellation state of a task, for the thread that works for it.
private final class TaskState: Sendable {
  private let isCancelled = Atomic(false)

  func cancel() { isCancelled.store(true, ordering: .relaxed) }

  func check() throws { if isCancelled.load(ordering: .relaxed) { throw CancellationError() } }
}

extension ItemImport {
  fileprivate init(_ request: ServiceRequest) throws { self = try Imports.work(request) }

  /// Rejects a mode that conflicts with the existence of the dataset.
  fileprivate func checkMode(in cache: LayoutCache) throws {
    do {
      _ = try cache.dataset(dataset)
      if mode == .create { throw LayoutCacheError(.datasetExists(dataset)) }
    } catch let error as LayoutCacheError {
      guard case .noSuchDataset = error.code, mode != .append else { throw error }
    }
  }
}

extension ImportRegistry.Progress {
  fileprivate var stateName: String {
    switch state {
    case .receiving: "receiving"
    case .building: "building"
    case .done: "done"
    case .failed: "failed"
    }
  }

  /// Returns the import's progress as sent to clients.
  fileprivate func json(id: String) -> JSONWriter {
    var json = JSONWriter()
    json.beginObject()
    json.member("id", id)
    json.member("state", stateName)
    switch state {
    case .done(let outcome): json.members(of: outcome, dataset: dataset)
    case .receiving, .building, .failed:
      json.member("dataset", dataset)
      json.member("bytes", bytes)
    }
    if case .failed(let problem) = state {
      json.member("problem")
      json.value(json: String(decoding: problem.json, as: UTF8.self))
    }
    json.endObject()
    return json
  }
}

extension ServiceRequest {
  fileprivate func respond(_ outcome: ItemImport.Outcome, id: String) -> Response {
    let progress = ImportRegistry.Progress(dataset: dataset, state: .done(outcome))
    var response = respond(type: "application/json", progress.json(id: id).bytes)
    response.headers[.revision] = String(outcome.summary.revision)
    return response
  }
}
