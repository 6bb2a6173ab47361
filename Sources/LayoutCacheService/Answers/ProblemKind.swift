import HTTPTypes

/// The kind of a problem: its `type`, status, title and advice.
enum ProblemKind: String, CaseIterable, Sendable {
  case badRequest = "bad-request"
  case tokenRequired = "token-required"
  case invalidToken = "invalid-token"
  case forbidden = "forbidden"
  case outOfScope = "out-of-scope"
  case readOnly = "read-only"
  case crossOriginRequest = "cross-origin-request"
  case notFound = "not-found"
  case routeNotFound = "route-not-found"
  case methodNotAllowed = "method-not-allowed"
  case misdirectedRequest = "misdirected-request"
  case notImplemented = "not-implemented"
  case versionNotSupported = "version-not-supported"
  case notAcceptable = "not-acceptable"
  case requestTimeout = "request-timeout"
  case conflict = "conflict"
  case sorted = "sorted"
  case pinnedStateExpired = "pinned-state-expired"
  case continuationExpired = "continuation-expired"
  case revisionMismatch = "revision-mismatch"
  case contentTooLarge = "content-too-large"
  case unsupportedFormat = "unsupported-format"
  case invalidRow = "invalid-row"
  case invalidOperation = "invalid-operation"
  case idempotencyKeyReused = "idempotency-key-reused"
  case layoutFailed = "layout-failed"
  case busy = "busy"
  case preparing = "preparing"
  case layoutNotPrepared = "layout-not-prepared"
  case logUnavailable = "log-unavailable"
  case outcomeUnknown = "outcome-unknown"
  case replicaBehind = "replica-behind"
  case draining = "draining"
  case tooManyStreams = "too-many-streams"
  case storageError = "storage-error"
  case databaseCorrupt = "database-corrupt"
  case internalError = "internal-error"

  /// The status of the answer.
  var status: HTTPResponse.Status { description.status }
  /// The problem in a few words, always the same for a kind.
  var title: String { description.title }
  /// The way to solve it.
  var advice: String { description.advice }
  /// The seconds after which the request is worth another try.
  var retryAfter: Int? { description.retryAfter }

  private struct Description {
    var status: HTTPResponse.Status
    var title: String
    var advice: String
    var retryAfter: Int?

    init(
      _ status: HTTPResponse.Status, _ title: String, retryAfter: Int? = nil,
      _ advice: String = "Try again after the number of seconds in Retry-After."
    ) {
      (self.status, self.title, self.advice, self.retryAfter) = (status, title, advice, retryAfter)
    }
  }

  private var description: Description {
    switch self {
    case .badRequest:
      Description(
        .badRequest, "Bad request",
        "Correct the path, query or header that the detail names; /openapi.json lists "
          + "what is allowed.")
    case .tokenRequired:
      Description(
        .unauthorized, "Token required",
        "Send Authorization: Bearer TOKEN with a token from the service's token file.")
    case .invalidToken:
      Description(
        .unauthorized, "Invalid token",
        "Send Authorization: Bearer TOKEN with a token from the service's token file.")
    case .forbidden:
      Description(
        .forbidden, "Forbidden",
        "Use a token with the scope write, or one for this dataset; the service's token "
          + "file lists them.")
    case .outOfScope:
      Description(
        .forbidden, "Out of scope",
        "Use another token: the claim 'layoutcache' states what this one permits.")
    case .readOnly:
      Description(
        .forbidden, "Read-only database",
        "Send changes to a service that can write its file. A backup can be written after it is "
          + "copied.")
    case .crossOriginRequest:
      Description(
        .forbidden, "Cross-origin request",
        "Allow the page's origin with --allow-origin, or send the request from a server.")
    case .notFound:
      Description(
        .notFound, "Not found",
        "Check the names; GET /v1/datasets lists the datasets and their layouts.")
    case .routeNotFound:
      Description(.notFound, "Route not found", "/openapi.json lists the paths.")
    case .methodNotAllowed:
      Description(
        .methodNotAllowed, "Method not allowed",
        "The Allow header lists the methods of the path.")
    case .misdirectedRequest:
      Description(
        .misdirectedRequest, "Misdirected request",
        "Start the service with --allow-host and the name that clients use, or use its "
          + "address.")
    case .notImplemented:
      Description(
        .notImplemented, "Not implemented",
        "Send the body with Transfer-Encoding: chunked, or a Content-Length.")
    case .versionNotSupported:
      Description(
        .httpVersionNotSupported, "HTTP version not supported",
        "Send the request with HTTP/1.1; of a proxy, set the version of its requests.")
    case .notAcceptable:
      Description(.notAcceptable, "Not acceptable", "Send another Accept header, or none.")
    case .requestTimeout:
      Description(
        .requestTimeout, "Request timeout",
        "Send the whole request without pauses, or try again on a better connection.")
    case .conflict:
      Description(
        .conflict, "Conflict with the current state",
        "Read the current state, then decide what to change.")
    case .sorted:
      Description(
        .conflict, "Dataset sorted",
        "Leave out the place; to move an item, change the data that it is sorted by.")
    case .pinnedStateExpired:
      Description(
        .conflict, "Pinned state expired",
        "Repeat the request without 'at', then pin the state in the answer's ETag.")
    case .continuationExpired:
      Description(.gone, "Continuation expired", "Start again without 'after'.")
    case .revisionMismatch:
      Description(
        .preconditionFailed, "Revision mismatch",
        "Read the current state, then decide what to change.")
    case .contentTooLarge:
      Description(
        .contentTooLarge, "Content too large",
        "Request less, split the batch, or use an import.")
    case .unsupportedFormat:
      Description(
        .unsupportedMediaType, "Unsupported format",
        "Send a format of the route: NDJSON or JSON for batches; NDJSON, CSV or TSV for imports.")
    case .invalidRow:
      Description(
        .unprocessableContent, "Invalid row",
        "Correct the line, or import with onInvalid=skip.")
    case .invalidOperation:
      Description(
        .unprocessableContent, "Invalid operation",
        "Correct the line; nothing was changed.")
    case .idempotencyKeyReused:
      Description(
        .unprocessableContent, "Idempotency key reused",
        "Use a new key for each different batch.")
    case .layoutFailed:
      Description(.conflict, "Layout failed", "Change the layout's configuration, or the dataset.")
    case .busy: Description(.serviceUnavailable, "Database busy", retryAfter: 1)
    case .preparing:
      Description(.serviceUnavailable, "Layout being brought up to date", retryAfter: 1)
    case .layoutNotPrepared:
      Description(
        .serviceUnavailable, "Layout not prepared", retryAfter: 60,
        "Run 'layoutcache prepare' on the file where it can be written, or on a copy of it.")
    case .logUnavailable: Description(.serviceUnavailable, "Shared log unavailable", retryAfter: 1)
    case .outcomeUnknown:
      Description(
        .serviceUnavailable, "Outcome unknown", retryAfter: 1,
        "Repeat the request with the same Idempotency-Key: it is applied only once. Without a key, "
          + "read the state first.")
    case .replicaBehind: Description(.serviceUnavailable, "Replica behind", retryAfter: 1)
    case .draining: Description(.serviceUnavailable, "Service stopping", retryAfter: 5)
    case .tooManyStreams: Description(.serviceUnavailable, "Too many event streams", retryAfter: 5)
    case .storageError:
      Description(
        .internalServerError, "Storage error",
        "Free space if the disk is full, then send the request again. If the file was replaced, "
          + "restart the service. Otherwise see the service's log for the cause.")
    case .databaseCorrupt:
      Description(
        .internalServerError, "Database corrupt",
        "Restore a backup; 'layoutcache verify' lists the damage.")
    case .internalError:
      Description(
        .internalServerError, "Internal error",
        "Report it, with the request's lines from the service's log.")
    }
  }
}
