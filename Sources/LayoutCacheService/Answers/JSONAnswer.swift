import HTTPTypes
import Hummingbird
import TextFormats

extension ServiceRequest {
  /// Returns a JSON answer.
  func json(
    status: HTTPResponse.Status = .ok, _ write: (inout JSONWriter) throws -> Void
  ) rethrows -> Response {
    var json = JSONWriter()
    try write(&json)
    return answer(status: status, type: "application/json", json.bytes)
  }

  /// Returns an answer with a body, compressed if the client accepts that and it saves bytes.
  func answer(
    status: HTTPResponse.Status = .ok, type: String, _ bytes: [UInt8]
  ) -> Response {
    var headers = HTTPFields()
    headers[.contentType] = type
    headers[.cacheControl] = "no-cache"
    if bytes.count > Gzip.bytesMin {
      headers[.vary] = "Accept-Encoding"
      if acceptsGzip, let compressed = Gzip.compress(bytes) {
        headers[.contentEncoding] = "gzip"
        return Response(
          status: status, headers: headers,
          body: ResponseBody(byteBuffer: ByteBuffer(bytes: compressed)))
      }
    }
    return Response(
      status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }

  /// Whether the client accepts gzip, by RFC 9110.
  var acceptsGzip: Bool {
    guard let header = request.headers[.acceptEncoding] else { return false }
    return qualities(in: header).contains { name, quality in
      quality > 0 && (name == "gzip" || name == "*")
    }
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
