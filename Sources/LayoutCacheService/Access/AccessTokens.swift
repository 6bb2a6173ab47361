import LayoutCache
import LayoutGeometry
import TextFormats

/// The bearer tokens that a service accepts, stored as hashes, with the access each grants, and the
/// keys of those who sign others.
///
/// The text has one line for each, of words separated by spaces or tabs; `#` begins a comment:
///
///     # name  scope  datasets  SHA-256 of the token, hexadecimal; of a key, its secret, base64url
///     shop    write  shop-     9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
///     web     read   *         60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
///     app     hs256  album-    c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA
///
/// `shop` may read and write datasets whose names begin with `shop-`; `*` matches all datasets.
/// `app` signs JSON Web Tokens with HMAC-SHA256, for at most those datasets, which end within the
/// hours of a fifth word, or 24. Reads need a token too, unless a line is `public read`.
public struct AccessTokens: Sendable {
  private enum Scope: String {
    case read
    /// Includes reading.
    case write
    /// A key.
    case hs256
  }

  private struct Entry: Sendable {
    var grant: Grant
    var hash: [UInt8]
  }

  private var entries: [Entry] = []
  private var keys: [SigningKey] = []
  private let verified = VerifiedTokens()

  /// Creates an empty list: all requests are allowed.
  public init() {}

  /// Whether there are no tokens, so that all requests are allowed.
  public var isEmpty: Bool { entries.isEmpty && keys.isEmpty }

  /// Whether reads are allowed without a token, as by a line `public read`.
  public var allowsPublicReads = false

  var readingNeedsToken: Bool { !isEmpty && !allowsPublicReads }

  /// Parses a token file with at least one token.
  ///
  /// - Throws: ``AccessTokensError`` for the first line that is malformed or repeats a name.
  public init(text: String) throws(AccessTokensError) {
    // In Swift, a carriage return and a line feed are one character.
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" || $0 == "\r" }
      if words.isEmpty { continue }
      if words == ["public", "read"] {
        allowsPublicReads = true
        continue
      }
      func fault(_ detail: String) -> AccessTokensError {
        AccessTokensError(line: index + 1, detail: detail)
      }
      guard words.count == 4 || words.count == 5 && words[1] == "hs256" else {
        throw fault("expected four words: name, scope, datasets, hash")
      }
      guard let scope = Scope(rawValue: String(words[1])) else {
        throw fault("the scope must be read, write or hs256")
      }
      let name = String(words[0])
      if has(name: name) { throw fault("the name is already used in an earlier line") }
      if name.utf8.count > Limits.nameBytesMax { throw fault("the name is too long") }
      let datasets = words[2] == "*" ? "*" : "\(words[2])*"
      if scope == .hs256 {
        let hours = words.count == 5 ? Int64(words[4]) ?? 0 : 24
        guard let secret = Base64URL.bytes(words[3]), secret.count >= SigningKey.secretBytesMin,
          SigningKey.hours.contains(hours)
        else {
          throw fault("the secret must be base64url of at least 32 bytes, the hours 1 to 8760")
        }
        keys.append(SigningKey(name: name, datasets: datasets, secret: secret, hoursMax: hours))
        continue
      }
      guard let hash = Self.bytes(hexadecimal: words[3]), hash.count == SHA256.byteCount else {
        throw fault("the hash must be a SHA-256, 64 hexadecimal digits")
      }
      var grant = Grant(name: name, datasets: [datasets])
      if scope == .write { grant.may.insert(.write) }
      entries.append(Entry(grant: grant, hash: hash))
    }
    if isEmpty { throw AccessTokensError(line: 1, detail: "the file has no tokens") }
  }

  /// Returns the permissions of a token.
  ///
  /// - Parameter now: The time in seconds since 1970.
  /// - Throws: ``Problem`` with 401 for an unknown token.
  /// - Complexity: O(entries), the same for valid and invalid tokens: every entry is compared
  ///   to its last byte.
  func grant(of token: String, at now: Int64) throws -> Grant {
    if let known = verified.grant(of: token, at: now) { return known }
    let hash = SHA256.hash(Array(token.utf8))
    var found: Grant?
    for entry in entries {
      var difference: UInt8 = 0
      for (a, b) in zip(hash, entry.hash) { difference |= a ^ b }
      if difference == 0 { found = entry.grant }
    }
    if let found { return found }
    let grant = try SignedToken.grant(of: token, by: keys, at: now)
    verified.add(grant, of: token)
    return grant
  }

  /// Whether a token or a key has a name.
  package func has(name: String) -> Bool {
    entries.contains { $0.grant.name.isExactly(name) } || keys.contains { $0.name.isExactly(name) }
  }

  /// Creates a token that a key signs, for trying.
  ///
  /// - Parameter claims: A JSON object, which is checked as the service does.
  /// - Returns: `nil` without such a key.
  /// - Throws: ``TokenFault``.
  package func signed(_ claims: String, by key: String) throws -> String? {
    guard let key = keys.first(where: { $0.name.isExactly(key) }) else { return nil }
    let token = SignedToken.text(claims: claims, by: key)
    do { _ = try grant(of: token, at: WallClock.system.now() / 1000) } catch let problem as Problem
    {
      throw TokenFault(problem.detail)
    }
    return token
  }

  /// Creates a random token of 192 bits.
  ///
  /// - Parameters:
  ///   - name: The token's name, without white space and `#`.
  ///   - scope: `read` or `write`; `hs256` for a key.
  ///   - datasetPrefix: The prefix of the dataset names that the token covers; `*` for all.
  /// - Returns: The token, or the key's secret, and its line for a token file, without a line end.
  package static func random(
    name: String, scope: String, datasetPrefix: String
  ) -> (token: String, line: String) {
    var generator = SystemRandomNumberGenerator()
    let isKey = scope == Scope.hs256.rawValue
    let bytes = (0..<(isKey ? SigningKey.secretBytesMin : 24)).map { _ in
      UInt8.random(in: .min ... .max, using: &generator)
    }
    let token = isKey ? Base64URL.text(bytes) : hexadecimal(bytes)
    let stored = isKey ? token : hexadecimal(SHA256.hash(Array(token.utf8)))
    return (token, "\(name) \(scope) \(datasetPrefix) \(stored)")
  }

  private static func bytes(hexadecimal text: Substring) -> [UInt8]? {
    let digits = text.compactMap(\.hexDigitValue)
    guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(digits[$0] * 16 + digits[$0 + 1])
    }
  }
}

/// An invalid line of a token file.
public struct AccessTokensError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line, counted from 1.
  public var line: Int
  /// The reason. It omits the line's text, which may be a secret.
  public var detail: String

  public var description: String { "line \(line) of the token file: \(detail)" }
}

/// The reason why a token is rejected.
package struct TokenFault: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}
