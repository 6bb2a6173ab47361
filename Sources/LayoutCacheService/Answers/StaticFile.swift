import HTTPTypes
import Hummingbird
import NIOCore

/// A file that does not change while the process runs, with its validator and its compressed form.
struct StaticFile: Sendable {
  let type: String
  let tag: EntityTag
  private let plain: ByteBuffer
  /// The compressed content; `nil` if it would not be shorter.
  private let compressed: ByteBuffer?

  /// - Complexity: O(bytes), once, with the slowest compression.
  init(_ bytes: [UInt8], type: String) {
    self.type = type
    tag = EntityTag(hashing: bytes)
    plain = ByteBuffer(bytes: bytes)
    compressed =
      bytes.count > Gzip.bytesMin
      ? Gzip.compress(bytes, level: Gzip.smallest).map { ByteBuffer(bytes: $0) } : nil
  }

  /// Returns the body in the form that a client accepts.
  func body(acceptsGzip: Bool) -> (bytes: ByteBuffer, isCompressed: Bool) {
    guard acceptsGzip, let compressed else { return (plain, false) }
    return (compressed, true)
  }
}

extension ServiceRequest {
  /// Answers with a file, or with 304 if the client has it. Caches must revalidate, because
  /// another version of the service has other files under the same names.
  func respond(_ file: StaticFile) -> Response {
    var headers = HTTPFields()
    headers[.eTag] = file.tag.header
    headers[.cacheControl] = "no-cache"
    headers[.vary] = "Accept-Encoding"
    if let known = http.headers[.ifNoneMatch], file.tag.matches(known) {
      return Response(status: .notModified, headers: headers)
    }
    headers[.contentType] = file.type
    let (bytes, isCompressed) = file.body(acceptsGzip: acceptsGzip)
    if isCompressed { headers[.contentEncoding] = "gzip" }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
  }
}
