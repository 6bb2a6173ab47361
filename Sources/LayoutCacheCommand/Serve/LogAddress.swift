/// The address of a cluster's log, as libpq takes it: a URL, or pairs as in `host=db password=x`.
enum LogAddress {
  private static let hidden = "***"
  private static let schemes = ["postgresql://", "postgres://"]

  /// The parameters whose values are shown. Any other may be a secret, or a misspelled one.
  private static let shownNames: Set<String> = [
    "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
    "gssencmode", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "load_balance_hosts", "options", "port", "sslcert", "sslcrl", "sslkey",
    "sslmode", "sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout", "user",
  ]

  /// Returns an address without its passwords, for display.
  ///
  /// Of an address that libpq cannot read, nothing is shown from where it stops making sense.
  ///
  /// Source: PostgreSQL, "Connection Strings" (libpq, section 34.1.1).
  static func withoutPassword(_ address: String) -> String {
    if let scheme = schemes.first(where: address.hasPrefix) {
      return scheme + url(withoutPassword: address.dropFirst(scheme.count))
    }
    return pairs(withoutPassword: address) ?? hidden
  }

  /// Returns the part of a URL after its scheme, without the secret values.
  private static func url(withoutPassword rest: Substring) -> String {
    var shown = ""
    var tail = rest
    // The user and password end at the last "@": libpq demands that others are escaped, but a
    // user may have forgotten it.
    if let at = rest.lastIndex(of: "@") {
      if let colon = rest[..<at].firstIndex(of: ":") {
        shown = rest[...colon] + hidden + "@"
        tail = rest[rest.index(after: at)...]
      } else if !rest[..<at].contains(where: { $0 == "/" || $0 == "?" }) {
        shown = String(rest[...at])
        tail = rest[rest.index(after: at)...]
      }
    }
    let hosts = tail.prefix { $0 != "/" && $0 != "?" && $0 != "&" }
    guard areHosts(hosts) else { return shown + hidden }
    let path = tail.dropFirst(hosts.count).prefix { $0 != "?" && $0 != "&" }
    shown += hosts + path
    // After a "?" in a password that is not escaped, parameters begin with "&".
    var parameters = tail.dropFirst(hosts.count + path.count)
    while let separator = parameters.popFirst() {
      let parameter = parameters.prefix { $0 != "&" }
      parameters = parameters.dropFirst(parameter.count)
      let name = parameter.prefix { $0 != "=" }
      let isShown = parameter.isEmpty || shownNames.contains(String(name))
      let isPair = name.count < parameter.count
      shown += String(separator) + (isShown ? parameter : (isPair ? name + "=" : "") + hidden)
    }
    return shown
  }

  /// Returns whether a text is a list of hosts with numeric ports. Anything else may be the
  /// password of an address without a host.
  private static func areHosts(_ text: Substring) -> Bool {
    text.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { host in
      let bracket = host.first == "[" ? host.firstIndex(of: "]") : nil
      let name = bracket.map { host[...$0] } ?? host.prefix { $0 != ":" }
      let port = host.dropFirst(name.count)
      return port.isEmpty || port.first == ":" && port.dropFirst().allSatisfy(\.isWholeNumber)
    }
  }

  /// Returns `name = value` pairs without the secret values. A value may be quoted, and a
  /// backslash escapes a character.
  ///
  /// - Returns: `nil` if the text does not consist of pairs.
  private static func pairs(withoutPassword text: String) -> String? {
    var shown = ""
    var rest = Substring(text)
    while true {
      shown += rest.removingPrefix { $0.isWhitespace }
      if rest.isEmpty { return shown }
      let name = rest.removingPrefix { $0.isLetter || $0 == "_" }
      shown += name + rest.removingPrefix { $0.isWhitespace }
      guard !name.isEmpty, rest.first == "=" else { return nil }
      shown += String(rest.removeFirst()) + rest.removingPrefix { $0.isWhitespace }
      guard let value = value(at: rest) else { return nil }
      rest = rest.dropFirst(value.count)
      shown += shownNames.contains(String(name)) ? String(value) : hidden
    }
  }

  /// Returns the value at the beginning of a text; `nil` if its quotation mark is not closed.
  private static func value(at text: Substring) -> Substring? {
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
    return isQuoted ? nil : text[..<index]
  }
}

extension Substring {
  /// Removes and returns the longest prefix of matching characters.
  fileprivate mutating func removingPrefix(_ matches: (Character) -> Bool) -> Substring {
    let prefix = prefix(while: matches)
    self = dropFirst(prefix.count)
    return prefix
  }
}
