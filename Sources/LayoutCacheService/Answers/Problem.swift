import HTTPTypes
import Hummingbird
import TextFormats

/// Why a request is not answered as it should be: `application/problem+json`.
///
/// Source: RFC 9457.
struct Problem: Error, Sendable {
  let kind: ProblemKind
  /// What went wrong this time, in one sentence; nothing of the machine's inside.
  var detail: String
  /// The line of the body that is at fault, counted from 1.
  var line: Int?
  /// The operation of the batch that is at fault, counted from 1.
  var operation: Int?
  /// The key at fault.
  var key: String?
  /// The present revision, where another was expected.
  var revision: Int?
  /// The validator of the present state, where another was pinned.
  var validator: String?
  /// Headers of its own.
  var headers = HTTPFields()

  init(_ kind: ProblemKind, _ detail: String) {
    self.kind = kind
    self.detail = detail
    switch kind {
    case .tokenNeeded, .unknownToken: headers[.wwwAuthenticate] = "Bearer realm=\"layoutcache\""
    case .busy, .logAway, .outcomeUnknown, .behind: headers[.retryAfter] = "1"
    case .draining, .tooManyStreams: headers[.retryAfter] = "5"
    default: break
    }
  }

  /// The answer.
  var response: Response {
    Response(
      status: kind.status, headers: headerFields,
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: json)))
  }

  var headerFields: HTTPFields {
    var fields = headers
    fields[.contentType] = "application/problem+json"
    fields[.cacheControl] = "no-store"
    return fields
  }

  /// The body.
  var json: [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("type", "/problems#\(kind.rawValue)")
    json.member("title", kind.title)
    json.member("status", kind.status.code)
    json.member("detail", detail)
    if let line { json.member("line", line) }
    if let operation { json.member("operation", operation) }
    if let key { json.member("key", key) }
    if let revision { json.member("revision", revision) }
    if let validator { json.member("etag", validator) }
    json.endObject()
    return json.bytes
  }
}
