import HTTPTypes
import TextFormats

extension HTTPFields {
  /// Whether the body is compressed by gzip.
  var hasGzipBody: Bool { ["gzip", "x-gzip"].contains(self[.contentEncoding]?.lowercased()) }

  /// The media type of the body, in lowercase and without parameters; `nil` if it is not stated.
  var mediaType: String? {
    self[.contentType]?.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() }
  }
}
