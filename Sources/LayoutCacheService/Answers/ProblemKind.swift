import HTTPTypes

/// What can go wrong with a request: what a problem's `type` leads to.
enum ProblemKind: String, CaseIterable, Sendable {
  case badRequest = "bad-request"
  case tokenNeeded = "token-needed"
  case unknownToken = "unknown-token"
  case notAllowed = "not-allowed"
  case crossOriginRequest = "cross-origin-request"
  case notFound = "not-found"
  case noSuchRoute = "no-such-route"
  case methodNotAllowed = "method-not-allowed"
  case misdirectedRequest = "misdirected-request"
  case notImplemented = "not-implemented"
  case notAcceptable = "not-acceptable"
  case slowClient = "slow-client"
  case conflict = "conflict"
  case pinIsGone = "pin-is-gone"
  case continuationIsGone = "continuation-is-gone"
  case otherRevision = "other-revision"
  case tooMuch = "too-much"
  case unsupportedFormat = "unsupported-format"
  case badRow = "bad-row"
  case badOperation = "bad-operation"
  case reusedKey = "reused-key"
  case cannotLayOut = "cannot-lay-out"
  case busy = "busy"
  case logAway = "log-away"
  case outcomeUnknown = "outcome-unknown"
  case behind = "behind"
  case draining = "draining"
  case tooManyStreams = "too-many-streams"
  case storage = "storage"
  case damaged = "damaged"
  case internalError = "internal-error"

  var status: HTTPResponse.Status {
    switch self {
    case .badRequest: .badRequest
    case .tokenNeeded, .unknownToken: .unauthorized
    case .notAllowed, .crossOriginRequest: .forbidden
    case .notFound, .noSuchRoute: .notFound
    case .methodNotAllowed: .methodNotAllowed
    case .misdirectedRequest: .misdirectedRequest
    case .notImplemented: .notImplemented
    case .notAcceptable: .notAcceptable
    case .slowClient: .requestTimeout
    case .conflict, .pinIsGone, .cannotLayOut: .conflict
    case .continuationIsGone: .gone
    case .otherRevision: .preconditionFailed
    case .tooMuch: .contentTooLarge
    case .unsupportedFormat: .unsupportedMediaType
    case .badRow, .badOperation, .reusedKey: .unprocessableContent
    case .busy, .logAway, .outcomeUnknown, .behind, .draining, .tooManyStreams:
      .serviceUnavailable
    case .storage, .damaged, .internalError: .internalServerError
    }
  }

  /// The problem in a few words, the same each time.
  var title: String {
    switch self {
    case .badRequest: "The request can't be understood"
    case .tokenNeeded: "A token is needed"
    case .unknownToken: "The token is not known"
    case .notAllowed: "The token does not allow that"
    case .crossOriginRequest: "Cross-origin request"
    case .notFound: "What is asked for is not there"
    case .noSuchRoute: "There is nothing at this path"
    case .methodNotAllowed: "The path does not take this method"
    case .misdirectedRequest: "Misdirected request"
    case .notImplemented: "Not implemented"
    case .notAcceptable: "The answer can't be had in that form"
    case .slowClient: "The request took too long to come"
    case .conflict: "The request is at odds with what there is"
    case .pinIsGone: "The pinned state is gone"
    case .continuationIsGone: "The continuation can't be placed any more"
    case .otherRevision: "The dataset is at another revision"
    case .tooMuch: "The request is too large"
    case .unsupportedFormat: "The body's format is not supported"
    case .badRow: "A row states no item"
    case .badOperation: "An operation can't be carried out"
    case .reusedKey: "The idempotency key belongs to another body"
    case .cannotLayOut: "The layout can't be laid out"
    case .busy: "The database is busy"
    case .logAway: "The shared log can't be reached"
    case .outcomeUnknown: "It is not known whether the change was carried out"
    case .behind: "The node has not come as far as the request wants"
    case .draining: "The service is stopping"
    case .tooManyStreams: "There are too many event streams"
    case .storage: "The database's file can't be read or written"
    case .damaged: "The database's file is damaged"
    case .internalError: "Something in the service went wrong"
    }
  }

  /// What to do about it.
  var advice: String {
    switch self {
    case .badRequest:
      "Correct the path, query or header that the detail names; /openapi.json has what is allowed."
    case .tokenNeeded, .unknownToken:
      "Send Authorization: Bearer TOKEN with a token from the service's file of tokens."
    case .notAllowed:
      "Use a token with the scope write, or one for this dataset; the service's file says."
    case .crossOriginRequest:
      "Allow the page's origin with --allow-origin, or send the request from a server."
    case .misdirectedRequest:
      "Start the service with --allow-host and the name that clients use, or ask by its address."
    case .notImplemented: "Send the body with Transfer-Encoding: chunked, or a Content-Length."
    case .notFound: "Check the names; GET /v1/datasets lists the datasets and their layouts."
    case .noSuchRoute: "/openapi.json lists the paths."
    case .methodNotAllowed: "The Allow header lists those that it takes."
    case .notAcceptable: "Ask with another Accept, or none."
    case .slowClient: "Send the request at once, or try again on a better connection."
    case .conflict: "Look at the present state, and decide anew."
    case .pinIsGone: "Ask without 'at'; pin the state that the answer's ETag names."
    case .continuationIsGone: "Begin again without 'after'."
    case .otherRevision: "Read the present state, and decide anew on what to change."
    case .tooMuch: "Ask for less, send several batches, or import."
    case .unsupportedFormat:
      "Send what the route takes: NDJSON for batches; NDJSON, CSV or TSV to import."
    case .badRow: "Correct the line, or import with onInvalid=skip."
    case .badOperation: "Correct the line; nothing was changed."
    case .reusedKey: "Make a new key for each batch that differs."
    case .cannotLayOut: "Change the layout's configuration, or the dataset."
    case .outcomeUnknown:
      "Send it again with the same Idempotency-Key: it is done once then. Without one look first."
    case .busy, .logAway, .behind, .draining, .tooManyStreams:
      "Try again after the seconds in Retry-After."
    case .storage:
      "The operator finds the cause in the service's log: often a full disk. If the file was "
        + "replaced, restart the service."
    case .damaged:
      "Whoever runs the service restores a backup; 'layoutcache verify' says what is damaged."
    case .internalError: "Please report it, with what the service's log says of the request."
    }
  }
}
