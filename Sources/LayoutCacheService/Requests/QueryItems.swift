import CollectionLayout
import LayoutCache
import LayoutGeometry
import TextFormats

/// The items of a request's query, parsed strictly: each name must be known to the route, and
/// must be unique unless it may repeat.
struct QueryItems: Sendable {
  private var values: [QueryParameter: [String]] = [:]
  private let names: Set<QueryParameter>?

  /// Parses the part of a request target after the question mark.
  ///
  /// - Parameters:
  ///   - names: The names that the route knows; `nil` to ignore unknown names, as for pages,
  ///     which may be linked with any query.
  ///   - repeated: The names that may repeat.
  /// - Throws: ``Problem`` with 400.
  init(
    _ text: Substring?, names: Set<QueryParameter>?, repeated: Set<QueryParameter>
  ) throws {
    self.names = names
    // By bytes: characters take ten times as long.
    for item in (text ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let end = item.firstIndex(of: UInt8(ascii: "=")) ?? item.endIndex
      guard let text = percentDecoded(Substring(item[..<end]), plusIsSpace: true),
        let value = percentDecoded(Substring(item[end...].dropFirst()), plusIsSpace: true)
      else { throw Problem(.badRequest, "the query is not percent-encoded UTF-8") }
      guard let names else { continue }
      guard let name = QueryParameter(rawValue: text), names.contains(name) else {
        throw Self.unknown(text, among: names)
      }
      guard values[name] == nil || repeated.contains(name) else {
        throw Problem(.badRequest, "query parameter '\(name)' occurs twice")
      }
      values[name, default: []].append(value)
    }
  }

  private static func unknown(_ text: String, among names: Set<QueryParameter>) -> Problem {
    let known = names.map(\.rawValue).sorted()
    let hint =
      names.isEmpty
      ? "this path takes no query"
      : didYouMean(text, among: known) ?? "the parameters are \(known.joined(separator: ", "))"
    return Problem(.badRequest, "unknown query parameter '\(excerpt(text))'; \(hint)")
  }

  /// Returns all values of a name.
  ///
  /// - Precondition: The route lists the name.
  func all(_ name: QueryParameter) -> [String] {
    assert(names?.contains(name) ?? true, "the route does not list the parameter \(name)")
    return values[name] ?? []
  }

  func has(_ name: QueryParameter) -> Bool { !all(name).isEmpty }

  /// Whether the route lists a name.
  func takes(_ name: QueryParameter) -> Bool { names?.contains(name) ?? true }

  /// Checks that the query lacks names that have no meaning together with its other names.
  ///
  /// - Parameter reason: The end of the message, after the first name present.
  /// - Throws: ``Problem`` with 400.
  func refuse(_ names: [QueryParameter], _ reason: String) throws {
    guard let name = names.first(where: has) else { return }
    throw Problem(.badRequest, "'\(name)' \(reason)")
  }

  /// The text of a name, if present.
  subscript(_ name: QueryParameter) -> String? { all(name).first }

  /// Returns an integer in a range, if present.
  func int(_ name: QueryParameter, in range: ClosedRange<Int>) throws -> Int? {
    guard let text = self[name] else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw Problem(
        .badRequest,
        "'\(name)' must be a whole number from \(range.lowerBound) to \(range.upperBound), not "
          + "'\(excerpt(text))'")
    }
    return number
  }

  /// Returns a revision, if present.
  func revision(_ name: QueryParameter) throws -> Int? { try int(name, in: 0...revisionMax) }

  /// Returns `true` or `false`; `false` if absent. Python writes a Boolean as `True`, other
  /// languages as `1`.
  func flag(_ name: QueryParameter) throws -> Bool {
    switch self[name] {
    case nil, "false", "False", "0": return false
    case "true", "True", "1": return true
    case let text?:
      throw Problem(.badRequest, "'\(name)' must be true or false, not '\(excerpt(text))'")
    }
  }

  /// Returns a rectangle, if present.
  func rect(_ name: QueryParameter) throws -> Rect? { try rects(name).first }

  /// Returns all rectangles of a name.
  func rects(_ name: QueryParameter) throws -> [Rect] {
    try all(name).map { text in
      do {
        return try Rect(coordinates: text)
      } catch { throw Problem(.badRequest, "'\(name)': \(error)") }
    }
  }

  /// Returns the scroll positions of carousels; `nil` if there are none.
  func carouselOffsets(_ name: QueryParameter = .offset) throws -> CarouselOffsets? {
    guard has(name) else { return nil }
    do {
      return try CarouselOffsets(texts: all(name))
    } catch let error as ValueTextError {
      throw Problem(.badRequest, "'\(name)': \(error)")
    }
  }

  /// Returns a point, if present.
  func point(_ name: QueryParameter) throws -> Point? {
    try coordinates(name) { text throws(ValueTextError) in try Point(coordinates: text) }
  }

  /// Returns a size, if present.
  func size(_ name: QueryParameter) throws -> Size? {
    try coordinates(name) { text throws(ValueTextError) in try Size(coordinates: text) }
  }

  /// Returns an item's index path, if present.
  func indexPath(_ name: QueryParameter) throws -> LayoutAttributes.IndexPath? {
    guard let text = self[name] else { return nil }
    guard let path = LayoutAttributes.IndexPath(text: text), path.section >= 0,
      path.item ?? -1 >= 0
    else {
      throw Problem(
        .badRequest, "'\(name)' must be SECTION.ITEM, both from 0, not '\(excerpt(text))'")
    }
    return path
  }

  /// Returns a length in points, if present.
  func length(_ name: QueryParameter) throws -> Length? {
    try coordinates(name) { text throws(ValueTextError) in
      guard let length = Length(points: try decimalNumber(text)) else {
        throw ValueTextError(description: "the number exceeds the range of lengths")
      }
      return length
    }
  }

  /// Returns a number, if present.
  func number(_ name: QueryParameter) throws -> Double? {
    try coordinates(name) { text throws(ValueTextError) in try decimalNumber(text) }
  }

  /// Returns a velocity, if present: one number along the scrolling axis, or X,Y.
  func velocity() throws -> ScrollVelocity? {
    try coordinates(.velocity) { text throws(ValueTextError) in
      let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      let x = try decimalNumber(parts[0])
      return ScrollVelocity(x: x, y: parts.count == 1 ? x : try decimalNumber(parts[1]))
    }
  }

  private func coordinates<Value>(
    _ name: QueryParameter, _ read: (String) throws(ValueTextError) -> Value
  ) throws -> Value? {
    guard let text = self[name] else { return nil }
    do {
      return try read(text)
    } catch { throw Problem(.badRequest, "'\(name)': \(error)") }
  }

  /// Returns a case of a type, if present.
  func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: QueryParameter, of type: Choice.Type
  ) throws -> Choice? where Choice.RawValue == String {
    guard let text = self[name] else { return nil }
    guard let choice = Choice(rawValue: text) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw Problem(.badRequest, "'\(name)' must be one of \(known), not '\(excerpt(text))'")
    }
    return choice
  }

  /// Returns the view that the query states, if any.
  func view() throws -> DatasetView? {
    do { return try DatasetView.stated(where: self[.where], order: self[.order]) } catch {
      throw Problem(.badRequest, "'\(error.parameter.rawValue)': \(error.description)")
    }
  }
}

/// The greatest revision that requests may name: the greatest integer that JSON represents
/// exactly in every language. A dataset that changes every microsecond reaches it in 285 years.
let revisionMax = (1 << 53) - 1

/// Parses a revision as written in headers.
///
/// - Returns: `nil` for text of another form, or above ``revisionMax``.
func revision(_ text: some StringProtocol) -> Int? {
  guard let revision = Int(text), (0...revisionMax).contains(revision) else { return nil }
  return revision
}

/// Decodes percent-encoded text.
///
/// - Returns: `nil` if a percent sign is not followed by two hexadecimal digits, or the bytes
///   are not UTF-8.
func percentDecoded(_ text: Substring, plusIsSpace: Bool = false) -> String? {
  // The usual case. A `String` is valid UTF-8.
  let isPlain = text.utf8.allSatisfy { $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "+") }
  if isPlain { return String(text) }
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
