import HTTPTypes
import Hummingbird
import TextFormats

/// An error response: `application/problem+json`.
///
/// Source: RFC 9457.
struct Problem: Error, Sendable {
  let kind: ProblemKind
  /// The error of this request, in one sentence, without internals of the machine.
  var detail: String
  /// The line of the body at fault, counted from 1.
  var line: Int?
  /// The operation of the batch at fault, counted from 1.
  var operation: Int?
  /// The key at fault.
  var key: String?
  /// The current revision, if another was expected.
  var revision: Int?
  /// The validator of the current state, if another was pinned.
  var validator: String?
  /// Additional headers.
  var headers = HTTPFields()

  init(_ kind: ProblemKind, _ detail: String) {
    (self.kind, self.detail) = (kind, detail)
    if let seconds = kind.retryAfter { headers[.retryAfter] = "\(seconds)" }
    switch kind {
    case .tokenRequired, .invalidToken: headers[.wwwAuthenticate] = "Bearer realm=\"layoutcache\""
    default: break
    }
  }

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
