import HTTPTypes
import TextFormats

extension HTTPFields {
  /// The media type of the body, in lowercase and without parameters; `nil` if it is not stated.
  var mediaType: String? {
    self[.contentType]?.split(separator: ";").first.map { $0.trimmingSpaces.lowercased() }
  }
}
