import ArgumentParser
import TextFormats

/// A size of items as a flag states it: WIDTHxHEIGHT, or natural.
enum ItemSizeFlag {
  case natural
  case fixed(width: Double, height: Double)

  init(_ text: String) throws {
    if text == "natural" {
      self = .natural
      return
    }
    let parts = text.split(separator: "x", omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw ValidationError("it takes natural, or a size such as 100x80")
    }
    self = .fixed(
      width: try number(parts[0].trimmingSpaces), height: try number(parts[1].trimmingSpaces))
  }

  func write(_ member: String, to json: inout JSONWriter) {
    json.member(member)
    switch self {
    case .natural: json.value("natural")
    case .fixed(let width, let height):
      json.beginObject()
      json.member("width", width)
      json.member("height", height)
      json.endObject()
    }
  }
}
