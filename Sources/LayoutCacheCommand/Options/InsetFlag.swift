import ArgumentParser
import TextFormats

/// Insets as a flag states them: one number for all sides, or four.
struct InsetFlag {
  private let sides: [Double]

  init(_ text: String) throws {
    let parts = try text.split(separator: ",", omittingEmptySubsequences: false)
      .map { try number($0.trimmingSpaces) }
    switch parts.count {
    case 1: sides = Array(repeating: parts[0], count: 4)
    case 4: sides = parts
    default: throw ValidationError("it takes one number or four, TOP,LEFT,BOTTOM,RIGHT")
    }
  }

  func write(_ member: String, to json: inout JSONWriter) {
    json.member(member)
    json.beginObject()
    for (name, side) in zip(["top", "left", "bottom", "right"], sides) { json.member(name, side) }
    json.endObject()
  }
}
