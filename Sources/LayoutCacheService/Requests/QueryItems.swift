import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// The items of a request's query, read by the letter: each name is one that the route
/// knows, and is there once, unless it may be there several times.
struct QueryItems: Sendable {
  private var values: [String: [String]] = [:]

  /// Reads the part of a target after its question mark.
  ///
  /// - Parameters:
  ///   - names: The names that the route knows; `nil` where what it does not know is no
  ///     matter, as the links to a page may have anything.
  ///   - repeated: Those that may be there several times.
  /// - Throws: ``Problem`` with 400.
  init(_ text: Substring?, names: Set<String>?, repeated: Set<String>) throws {
    for item in (text ?? "").split(separator: "&") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = percentDecoded(parts[0], plusIsSpace: true),
        let value = percentDecoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
      else { throw Problem(.badRequest, "the query is not percent-encoded UTF-8") }
      guard let names else { continue }
      guard names.contains(name) else {
        let known =
          names.isEmpty
          ? "this path takes no query"
          : didYouMean(name, among: names.sorted())
            ?? "known are \(names.sorted().joined(separator: ", "))"
        throw Problem(.badRequest, "the query has '\(excerpt(name))', which is not known; \(known)")
      }
      guard values[name] == nil || repeated.contains(name) else {
        throw Problem(.badRequest, "the query has '\(name)' twice")
      }
      values[name, default: []].append(value)
    }
  }

  func all(_ name: String) -> [String] { values[name] ?? [] }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// Checks that names are absent which the rest of the query gives no meaning.
  ///
  /// - Parameter reason: What is said of the first that is present, after its name.
  /// - Throws: ``Problem`` with 400.
  func refuse(_ names: [String], _ reason: String) throws {
    guard let name = names.first(where: has) else { return }
    throw Problem(.badRequest, "'\(name)' \(reason)")
  }

  /// A text, if there is one.
  subscript(_ name: String) -> String? { values[name]?.first }

  /// A whole number of a range, if there is one.
  func int(_ name: String, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem(
        .badRequest,
        "'\(name)' is a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + "'\(excerpt(text))'")
    }
    return number
  }

  /// A revision, if there is one.
  func revision(_ name: String) throws -> Int? { try int(name, in: 0...revisionMax) }

  /// `true` or `false`; `false` where there is none.
  func flag(_ name: String) throws -> Bool {
    switch self[name] {
    case nil, "false": return false
    case "true": return true
    case let text?:
      throw Problem(.badRequest, "'\(name)' is true or false, not '\(excerpt(text))'")
    }
  }

  /// A rectangle, if there is one.
  func rect(_ name: String) throws -> Rect? { try rects(name).first }

  /// All rectangles of a name.
  func rects(_ name: String) throws -> [Rect] {
    try all(name).map { text in
      do {
        return try Rect(coordinates: text)
      } catch { throw Problem(.badRequest, "'\(name)': \(error)") }
    }
  }

  /// A point, if there is one.
  func point(_ name: String) throws -> Point? {
    try coordinates(name) { text throws(CoordinateError) in try Point(coordinates: text) }
  }

  /// A size, if there is one.
  func size(_ name: String) throws -> Size? {
    try coordinates(name) { text throws(CoordinateError) in try Size(coordinates: text) }
  }

  /// An item's position, if there is one.
  func indexPath(_ name: String) throws -> LayoutAttributes.IndexPath? {
    guard let text = self[name] else { return nil }
    guard let path = LayoutAttributes.IndexPath(text: text), path.section >= 0,
      path.item ?? -1 >= 0
    else {
      throw Problem(
        .badRequest, "'\(name)' is SECTION.ITEM, both from 0, not '\(excerpt(text))'")
    }
    return path
  }

  /// A length in points, if there is one.
  func length(_ name: String) throws -> Length? {
    try coordinates(name) { text throws(CoordinateError) in
      guard let length = Length(points: try decimalNumber(text)) else {
        throw CoordinateError(description: "the number is beyond what a length can hold")
      }
      return length
    }
  }

  /// A number, if there is one.
  func number(_ name: String) throws -> Double? {
    try coordinates(name) { text throws(CoordinateError) in try decimalNumber(text) }
  }

  private func coordinates<Value>(
    _ name: String, _ read: (String) throws(CoordinateError) -> Value
  ) throws -> Value? {
    guard let text = self[name] else { return nil }
    do {
      return try read(text)
    } catch { throw Problem(.badRequest, "'\(name)': \(error)") }
  }

  /// One of the cases of a type, if there is one.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, of type: Choice.Type
  ) throws -> Choice? where Choice.RawValue == String {
    guard let text = self[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badRequest, "'\(name)' is one of \(known), not '\(excerpt(text))'")
    }
    return choice
  }
}

/// The greatest revision that requests may name: the greatest whole number that JSON carries
/// exactly in every language. A dataset that changes each microsecond is there in 285 years.
let revisionMax = (1 << 53) - 1

/// Reads a revision, as headers have it.
///
/// - Returns: `nil` for a text of another form, or beyond ``revisionMax``.
func revision(_ text: some StringProtocol) -> Int? {
  guard let revision = Int(text), (0...revisionMax).contains(revision) else { return nil }
  return revision
}

/// Decodes a percent-encoded text.
///
/// - Returns: `nil` where a percent sign is not followed by two hexadecimal digits, or the
///   bytes are not UTF-8.
func percentDecoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
  var bytes: [UInt8] = []
  var rest = text.utf8[...]
  while let byte = rest.popFirst() {
    switch byte {
    case UInt8(ascii: "%"):
      guard let high = rest.popFirst()?.hexadecimalDigit,
        let low = rest.popFirst()?.hexadecimalDigit
      else { return nil }
      bytes.append(high << 4 | low)
    case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
    default: bytes.append(byte)
    }
  }
  return String(validating: bytes, as: UTF8.self)
}

extension UInt8 {
  fileprivate var hexadecimalDigit: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
