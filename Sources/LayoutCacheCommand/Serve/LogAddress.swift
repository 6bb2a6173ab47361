/// The address of a cluster's log, as libpq takes it: a URL, or pairs as in `host=db password=x`.
enum LogAddress {
  private static let hidden = "***"
  /// The parameters whose values are secret.
  private static let secrets: Set<String> = ["password", "sslpassword"]

  /// Returns an address without its passwords, for display.
  ///
  /// Of an address that cannot be read, nothing is shown after its first secret.
  ///
  /// Source: PostgreSQL, "Connection Strings" (libpq, section 34.1.1).
  static func withoutPassword(_ address: String) -> String {
    let schemes = ["postgresql://", "postgres://"]
    guard let scheme = schemes.first(where: address.hasPrefix) else {
      return pairs(withoutPassword: address)
    }
    let rest = address.dropFirst(scheme.count)
    // The user and password end at the last "@" before the path; libpq demands that others are
    // escaped, but a user may have forgotten it.
    let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
    let at = rest[..<end].lastIndex(of: "@") ?? rest.lastIndex(of: "@")
    var shown = scheme
    var tail = rest
    if let at {
      if let colon = rest[..<at].firstIndex(of: ":") {
        shown += rest[...colon] + hidden
      } else {
        shown += rest[..<at]
      }
      tail = rest[at...]
    }
    guard let question = tail.firstIndex(of: "?") else { return shown + tail }
    let parameters = tail[tail.index(after: question)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .map { parameter -> String in
        let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let isSecret = secrets.contains((parts[0].removingEscapes ?? "password").lowercased())
        return parts.count == 2 && isSecret ? "\(parts[0])=\(hidden)" : String(parameter)
      }
    return shown + tail[...question] + parameters.joined(separator: "&")
  }

  /// Returns `name = value` pairs without the secret values. A value may be quoted, and a
  /// backslash escapes a character.
  private static func pairs(withoutPassword text: String) -> String {
    var shown = ""
    var rest = Substring(text)
    while let equals = rest.firstIndex(of: "=") {
      let name = rest[..<equals].filter { !$0.isWhitespace }.lowercased()
      shown += rest[...equals]
      rest = rest[rest.index(after: equals)...]
      let blank = rest.prefix { $0.isWhitespace }
      shown += blank
      rest = rest.dropFirst(blank.count)
      let value = value(at: rest)
      shown += secrets.contains(name) ? hidden : String(value)
      rest = rest.dropFirst(value.count)
    }
    return shown + rest
  }

  /// Returns the value at the beginning of a text.
  private static func value(at text: Substring) -> Substring {
    let isQuoted = text.first == "'"
    var index = isQuoted ? text.index(after: text.startIndex) : text.startIndex
    while index < text.endIndex {
      let character = text[index]
      if character == "\\" {
        index = text.index(index, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
        continue
      }
      if isQuoted, character == "'" { return text[...index] }
      if !isQuoted, character.isWhitespace { break }
      index = text.index(after: index)
    }
    return text[..<index]
  }
}

extension Substring {
  /// The text without percent escapes; `nil` for an invalid one.
  fileprivate var removingEscapes: String? {
    var bytes: [UInt8] = []
    var rest = utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2,
        let escaped = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      else { return nil }
      bytes.append(escaped)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }
}
