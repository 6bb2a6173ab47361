import HTTPTypes
import Hummingbird
import NIOCore
import TextFormats

/// The body of an answer as it is sent.
struct EncodedBody: Sendable {
  /// The media type.
  let type: String
  let bytes: ByteBuffer
  let isCompressed: Bool
  /// Whether other clients may get another encoding.
  let variesByEncoding: Bool

  /// The allocated memory, in bytes.
  var capacity: Int { bytes.storageCapacity }
}

extension ServiceRequest {
  /// The maximum length of an answer in bytes, before compression.
  var answerBytesMax: Int { service.configuration.limits.answerBytesMax }

  /// Returns a JSON answer, whose arrays end where the answer would be too long.
  func json(
    status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) throws -> Void
  ) rethrows -> Response {
    var json = JSONWriter()
    json.bytesMax = answerBytesMax - JSONWriter.endBytes
    try write(&json)
    return respond(status: status, type: "application/json", json.bytes)
  }

  /// Returns an answer with a body, compressed if the client accepts that and it saves bytes.
  func respond(
    status: HTTPResponse.Status = .ok, type: String, _ bytes: [UInt8]
  ) -> Response {
    respond(status: status, encoded(type: type, bytes))
  }

  func respond(status: HTTPResponse.Status = .ok, _ body: EncodedBody) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = body.type
    headers[.cacheControl] = "no-cache"
    if body.variesByEncoding { headers[.vary] = "Accept-Encoding" }
    if body.isCompressed { headers[.contentEncoding] = "gzip" }
    return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: body.bytes))
  }

  /// Returns the body of an answer as it is sent: compressed if the client accepts that and it
  /// saves bytes.
  func encoded(type: String, _ bytes: [UInt8]) -> EncodedBody {
    let isLong = bytes.count > Gzip.bytesMin
    let compressed = isLong && acceptsGzip ? Gzip.compress(bytes) : nil
    return EncodedBody(
      type: type, bytes: ByteBuffer(bytes: compressed ?? bytes), isCompressed: compressed != nil,
      variesByEncoding: isLong)
  }

  /// Whether the client accepts gzip, by RFC 9110.
  var acceptsGzip: Bool {
    guard let header = http.headers[.acceptEncoding] else { return false }
    return qualities(in: header).contains { name, quality in
      quality > 0 && (name == "gzip" || name == "*")
    }
  }
}

extension JSONWriter {
  /// The room in an answer for the members after its arrays.
  static let endBytes = 16 << 10

  /// Appends the rows of a list that fit into the answer, and the position of the next page, if any.
  ///
  /// - Parameters:
  ///   - hasMore: Whether rows follow after the given ones.
  ///   - next: Returns the position after a row.
  mutating func list<Row>(
    _ name: String, _ rows: [Row], hasMore: Bool, next: (Row) -> any AnswerValue,
    _ write: (inout JSONWriter, Row) -> Void
  ) {
    member(name)
    let count = array(of: rows, write)
    if hasMore || count < rows.count, count > 0 { member("next", next(rows[count - 1])) }
  }
}

/// Returns the values of a header such as `Accept`, lowercased, with their weights from 0 to 1.
func qualities(in header: String) -> [(value: String, quality: Double)] {
  header.split(separator: ",").map { item in
    let parts = item.split(separator: ";").map(\.trimmingSpaces)
    let weight = parts.dropFirst().first { $0.lowercased().hasPrefix("q=") }
    return (
      (parts.first ?? "").lowercased(), weight.flatMap { Double($0.dropFirst(2)) } ?? 1
    )
  }
}
