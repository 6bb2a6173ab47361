import HTTPTypes
import Hummingbird
import LayoutGeometry
import TextFormats

extension Request {
  /// Checks that it is beyond doubt for whom the request is, and where its body ends.
  ///
  /// A proxy may read an ambiguous request in one way and the service in the other: that is how a
  /// request is smuggled in, and how a length of 2^63 was an empty body that emptied a dataset.
  ///
  /// - Throws: ``Problem``: 400, and 501 for an encoding that the service does not decode. The
  ///   connection cannot be used for another request then.
  func requireFraming() throws {
    if headers[.secondHost] != nil {
      throw Problem(.badRequest, "the request has two Host headers")
    }
    if let encoding = headers[.transferEncoding] {
      if headers[.contentLength] != nil {
        throw Problem(.badRequest, "Content-Length and Transfer-Encoding exclude each other")
      }
      guard encoding[...].trimmingSpaces.lowercased() == "chunked" else {
        throw Problem(
          .notImplemented, "the only Transfer-Encoding is chunked, not '\(excerpt(encoding))'")
      }
    }
    if let length = headers[.contentLength], contentLength == nil {
      throw Problem(
        .badRequest,
        "Content-Length is a whole number from 0 to \(Int.max), not '\(excerpt(length))'")
    }
  }

  /// The length of the body in bytes, as the client states it; `nil` without a valid number.
  var contentLength: Int? {
    guard let text = headers[.contentLength],
      text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return Int(text)
  }

  /// Whether a body follows, or could: what announces one and can't be read does.
  var hasBody: Bool {
    headers[.transferEncoding] != nil || headers[.contentLength] != nil && contentLength != 0
  }
}

extension HTTPField.Name {
  /// The framework takes the first one out, as the request's authority.
  fileprivate static let secondHost = HTTPField.Name("Host")!
}
