import LayoutGeometry
import TextFormats

/// The bearer tokens that a service accepts, stored as hashes, with the access each grants.
///
/// The text has one line per token, of words separated by spaces or tabs; `#` begins a comment:
///
///     # name  scope  datasets  SHA-256 of the token, hexadecimal
///     shop    write  shop-     9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
///     web     read   *         60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
///
/// `shop` may read and write datasets whose names begin with `shop-`; `*` matches all datasets.
/// Reads need a token too, unless a line is `public read`.
public struct AccessTokens: Sendable {
  enum Scope: String, Sendable {
    case read
    /// Includes reading.
    case write
  }

  struct Entry: Sendable {
    var name: String
    var scope: Scope
    /// The prefix of the dataset names that the token covers; empty for all.
    var datasetPrefix: String
    var hash: [UInt8]
  }

  private(set) var entries: [Entry] = []

  /// Creates an empty list: all requests are allowed.
  public init() {}

  /// Whether there are no tokens, so that all requests are allowed.
  public var isEmpty: Bool { entries.isEmpty }

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
      let number = index + 1
      guard words.count == 4 else {
        throw AccessTokensError(
          line: number, detail: "expected four words: name, scope, datasets, hash")
      }
      guard let scope = Scope(rawValue: String(words[1])) else {
        throw AccessTokensError(line: number, detail: "the scope must be read or write")
      }
      guard let hash = Self.bytes(hexadecimal: words[3]), hash.count == SHA256.byteCount else {
        throw AccessTokensError(
          line: number, detail: "the hash must be a SHA-256, 64 hexadecimal digits")
      }
      if entries.contains(where: { $0.name.isExactly(String(words[0])) }) {
        throw AccessTokensError(line: number, detail: "the name is already used in an earlier line")
      }
      entries.append(
        Entry(
          name: String(words[0]), scope: scope,
          datasetPrefix: words[2] == "*" ? "" : String(words[2]), hash: hash))
    }
    if entries.isEmpty { throw AccessTokensError(line: 1, detail: "the file has no tokens") }
  }

  /// Returns the entry of a token.
  ///
  /// - Complexity: O(entries), the same for valid and invalid tokens: every entry is compared
  ///   to its last byte.
  func entry(of token: some StringProtocol) -> Entry? {
    let hash = SHA256.hash(Array(token.utf8))
    var found: Entry?
    for entry in entries {
      var difference: UInt8 = 0
      for (a, b) in zip(hash, entry.hash) { difference |= a ^ b }
      if difference == 0 { found = entry }
    }
    return found
  }

  /// Whether a token has a name.
  package func has(name: String) -> Bool { entries.contains { $0.name.isExactly(name) } }

  /// Creates a random token of 192 bits.
  ///
  /// - Parameters:
  ///   - name: The token's name, without white space and `#`.
  ///   - datasetPrefix: The prefix of the dataset names that the token covers; `*` for all.
  /// - Returns: The token, and its line for a token file, without a line end.
  package static func random(
    name: String, mayWrite: Bool, datasetPrefix: String
  ) -> (token: String, line: String) {
    var generator = SystemRandomNumberGenerator()
    let token = hexadecimal(
      (0..<24).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
    let hash = hexadecimal(SHA256.hash(Array(token.utf8)))
    let scope: Scope = mayWrite ? .write : .read
    return (token, "\(name) \(scope.rawValue) \(datasetPrefix) \(hash)")
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
