import HTTPTypes
import Hummingbird
import LayoutGeometry
import TextFormats

extension Request {
  /// Checks that the request's host and the end of its body are unambiguous.
  ///
  /// A proxy may interpret an ambiguous request differently from the service. That allows request
  /// smuggling; and a length of 2^63 was once read as an empty body, which emptied a dataset.
  ///
  /// - Throws: ``Problem``: 400, and 501 for an encoding that the service does not decode. The
  ///   connection must then be closed.
  func requireFraming() throws {
    if headers[.secondHost] != nil {
      throw Problem(.badRequest, "the request has two Host headers")
    }
    if let encoding = headers[.transferEncoding] {
      if headers[.contentLength] != nil {
        throw Problem(.badRequest, "Content-Length and Transfer-Encoding cannot be combined")
      }
      guard encoding[...].trimmingSpaces.lowercased() == "chunked" else {
        throw Problem(
          .notImplemented, "Transfer-Encoding '\(excerpt(encoding))' is not supported; use chunked")
      }
    }
    if let length = headers[.contentLength], contentLength == nil {
      throw Problem(
        .badRequest,
        "Content-Length must be a whole number from 0 to \(Int.max), not '\(excerpt(length))'")
    }
  }

  /// The length of the body in bytes, as sent by the client; `nil` without a valid number.
  var contentLength: Int? {
    guard let text = headers[.contentLength],
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether a body follows or may follow; an invalid length counts as a body.
  var hasBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength] != nil && contentLength != 0
  }
}

extension HTTPField.Name {
  /// A second `Host` header. The framework removes the first, as the request's authority.
  fileprivate static let secondHost = HTTPField.Name("Host")!
}
