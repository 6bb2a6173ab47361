package import JSONText
package import LayoutGeometry

/// A value of an item as filters see it, or a value in a filter: JSON, without the contents of
/// objects.
package enum FilterValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(FilterNumber)
  case text(ExactKey)
  case array([FilterValue])
  case object(isEmpty: Bool)

  /// Reads a value of a valid JSON text without white space.
  ///
  /// - Complexity: O(bytes of the value); recursive in arrays, at most `jsonDepthMax` deep.
  package init(_ token: JSONToken, in bytes: UnsafeRawBufferPointer) {
    switch token.kind {
    case .absent, .null: self = .null
    case .boolean: self = .bool(token.content(in: bytes).first == UInt8(ascii: "t"))
    case .number: self = FilterNumber(token.content(in: bytes)).map(Self.number) ?? .null
    case .string: self = .text(ExactKey(token.text(in: bytes)))
    case .array:
      let own = UnsafeRawBufferPointer(rebasing: bytes[token.start..<token.end])
      var elements: [FilterValue] = []
      var scanner = JSONScanner(own)
      // The text was checked when it was stored.
      try? scanner.takeContainer { elements.append(FilterValue($1, in: own)) }
      self = .array(elements)
    case .object: self = .object(isEmpty: token.end - token.start == 2)
    }
  }
}

/// A number, equal and ordered by its exact value: integers in the range of `Int64` are not
/// rounded to doubles.
package enum FilterNumber: Hashable, Sendable, Comparable {
  case integer(Int64)
  /// A double that is no `Int64`.
  case double(Double)

  /// Creates the number with the value of a double, which is not NaN.
  package init(_ double: Double) {
    self = Int64(exactly: double).map(Self.integer) ?? .double(double)
  }

  /// Reads a JSON number. Beyond the range of doubles it is infinite.
  ///
  /// - Returns: `nil` for another text.
  init?(_ text: UnsafeRawBufferPointer) {
    do {
      self = .integer(Int64(try parseInteger(text)))
    } catch {
      do {
        self.init(try parseDouble(text))
      } catch {
        guard error == .tooLarge else { return nil }
        self = .double(text.first == UInt8(ascii: "-") ? -.infinity : .infinity)
      }
    }
  }

  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left < right
    case (.double(let left), .double(let right)): left < right
    // The double is a fraction, below 2^53, or out of the range of integers, of which the nearest
    // are rounded to 2^63.
    case (.integer(let left), .double(let right)): right >= 0x1p63 || Double(left) < right
    case (.double, .integer): !(right < left)
    }
  }
}

/// The position of a value in the order of values: numbers, instants, texts, missing.
///
/// An instant is a text with a date and time by RFC 3339. Other texts are compared by the bytes of
/// their UTF-8. Booleans, `null`, arrays and objects have the last position, like missing values.
package enum SortKey: Comparable, Hashable, Sendable {
  case number(FilterNumber)
  /// Nanoseconds since the beginning of 1970.
  case instant(Int128)
  case text(ExactKey)
  case missing

  package init(_ value: FilterValue?) {
    switch value {
    case .number(let number): self = .number(number)
    case .text(let text): self = nanoseconds(of: text.string).map(Self.instant) ?? .text(text)
    default: self = .missing
    }
  }

  package static func < (left: Self, right: Self) -> Bool {
    switch (left, right) {
    case (.number(let left), .number(let right)): left < right
    case (.instant(let left), .instant(let right)): left < right
    case (.text(let left), .text(let right)):
      left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    default: left.kind < right.kind
    }
  }

  /// Whether both are numbers, instants or other texts, in this order.
  func precedes(_ other: SortKey, orEquals: Bool) -> Bool {
    kind == other.kind && (self < other || orEquals && self == other)
  }

  /// 0 to 3, in the order of the cases.
  package var kind: Int {
    switch self {
    case .number: 0
    case .instant: 1
    case .text: 2
    case .missing: 3
    }
  }
}

/// Reads a date and time with a zone in the format of RFC 3339, or a date alone, which is its
/// midnight in UTC. Digits beyond nanoseconds are ignored; a leap second is the next second.
///
/// Source: RFC 3339, section 5.6; Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms",
/// `days_from_civil`.
///
/// - Returns: Nanoseconds since the beginning of 1970; `nil` for another text, or if the day or the
///   time does not exist.
private func nanoseconds(of text: String) -> Int128? {
  // Most texts end here.
  guard isForm(text.utf8.prefix(10), "0000-00-00") else { return nil }
  let bytes = Array(text.utf8)
  func number(_ start: Int, _ count: Int = 2) -> Int {
    bytes[start..<start + count].reduce(0) { $0 * 10 + Int($1 & 0x0F) }
  }
  let (year, month, day) = (number(0, 4), number(5), number(8))
  let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
  guard 1...12 ~= month, 1...lengths[month - 1] ~= day else { return nil }
  // Years begin with March, so that a leap day is the last of its year, and 400 years earlier, so
  // that no division is of a negative number.
  let marchYear = year + 400 - (month <= 2 ? 1 : 0)
  let days =
    365 * marchYear + marchYear / 4 - marchYear / 100 + marchYear / 400
    + (153 * ((month + 9) % 12) + 2) / 5 + day - 1 - 146_097 - 719_468
  guard bytes.count > 10 else { return Int128(days) * 86_400_000_000_000 }
  let isUTC = bytes[bytes.count - 1] | 0x20 == UInt8(ascii: "z")
  let zone = bytes.count - (isUTC ? 1 : 6)
  guard zone >= 19, bytes[10] | 0x20 == UInt8(ascii: "t"), isForm(bytes[11..<19], "00:00:00"),
    number(11) < 24, number(14) < 60, number(17) <= 60
  else { return nil }
  let digits = bytes[19..<zone].dropFirst()
  let isFraction = !digits.isEmpty && bytes[19] == UInt8(ascii: ".") && digits.allSatisfy(isDigit)
  guard zone == 19 || isFraction else { return nil }
  var minutes = number(11) * 60 + number(14)
  if !isUTC {
    let isWest = bytes[zone] == UInt8(ascii: "-")
    guard isForm(bytes[zone...], isWest ? "-00:00" : "+00:00"), number(zone + 1) < 24,
      number(zone + 4) < 60
    else { return nil }
    minutes += (number(zone + 1) * 60 + number(zone + 4)) * (isWest ? 1 : -1)
  }
  let seconds = days * 86_400 + minutes * 60 + number(17)
  return (0..<9).reduce(Int128(seconds)) { sum, place in
    sum * 10 + Int128(digits.dropFirst(place).first.map { $0 & 0x0F } ?? 0)
  }
}

private func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte }

/// Returns whether a text has a form, in which 0 is any digit.
private func isForm(_ text: some Collection<UInt8>, _ form: String) -> Bool {
  text.count == form.utf8.count
    && zip(text, form.utf8).allSatisfy { $1 == UInt8(ascii: "0") ? isDigit($0) : $0 == $1 }
}

/// A text in lower case to search for in others.
struct FoldedText: Hashable, Sendable {
  let text: ExactKey
  private let bytes: [UInt8]
  /// For each byte, the length of the longest shorter prefix that ends at it.
  private var prefixes: [Int] = []

  init(_ text: String) {
    self.text = ExactKey(text.lowercased())
    bytes = Array(self.text.string.utf8)
    var length = 0
    for (index, byte) in bytes.enumerated() {
      if index > 0 { advance(&length, by: byte) }
      prefixes.append(length)
    }
  }

  /// Returns whether another text in lower case contains this one.
  ///
  /// Source: Knuth, Morris, Pratt, "Fast Pattern Matching in Strings" (1977).
  ///
  /// - Complexity: O(bytes), whatever the texts are.
  func isIn(_ text: String) -> Bool {
    if bytes.isEmpty { return true }
    // The mapping of Unicode, which ASCII does not need, takes most of the time.
    return text.utf8.allSatisfy { $0 < 0x80 }
      ? isIn(text.utf8.lazy.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 })
      : isIn(text.lowercased().utf8)
  }

  private func isIn(_ text: some Sequence<UInt8>) -> Bool {
    var length = 0
    return text.contains { byte in
      advance(&length, by: byte)
      return length == bytes.count
    }
  }

  /// Updates the length of the prefix that ends at the previous byte.
  private func advance(_ length: inout Int, by byte: UInt8) {
    while length > 0, bytes[length] != byte { length = prefixes[length - 1] }
    if bytes[length] == byte { length += 1 }
  }
}
