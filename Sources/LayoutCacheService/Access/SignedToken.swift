import JSONText
import LayoutCache
import LayoutGeometry
import Synchronization
import TextFormats

/// The permissions of a token.
struct Grant: Sendable {
  enum Permission: String, Decodable {
    case read
    /// Filters and orders of the caller's choice.
    case query
    /// Measured lengths of items that have none.
    case measure
    case write
  }

  /// The part of each dataset that the caller gets in place of the whole.
  enum Scope: Sendable {
    case items(DatasetView)
    /// A named view.
    case view(String)
  }

  /// The name for logs, for limits, and for data owned by a caller.
  var name: String
  /// The names of datasets, or beginnings of names and `*`.
  var datasets: [String]
  /// As ``datasets``, of layouts. A name includes its variants.
  var layouts = ["*"]
  var may: Set<Permission> = [.read, .query, .measure]
  var scope: Scope?
  /// The time when it ends, in seconds since 1970; `nil` for a token of the file.
  var end: Int64?
  /// Whether ``name`` tells one client from others.
  var namesClient = true

  var isSigned: Bool { end != nil }

  /// The only layout that it may be for.
  var onlyLayout: String? {
    layouts.count == 1 ? layouts.first { $0.utf8.last != UInt8(ascii: "*") } : nil
  }

  /// Whether it covers a dataset, or all that a pattern may match.
  func covers(dataset: String) -> Bool { datasets.contains { Self.covers($0, dataset) } }

  func covers(layout: String) -> Bool {
    let name = String(layout.prefix { $0 != "@" })
    return layouts.contains { Self.covers($0, name) }
  }

  fileprivate static func covers(_ pattern: String, _ name: String) -> Bool {
    let star = UInt8(ascii: "*")
    guard pattern.utf8.last == star else { return name.isExactly(pattern) }
    let beginning = name.utf8.last == star ? name.utf8.dropLast() : name.utf8[...]
    return beginning.starts(with: pattern.utf8.dropLast())
  }
}

struct SigningKey: Sendable {
  /// The name, which tokens state as `kid`.
  var name: String
  /// The pattern of the datasets that its tokens may be for.
  var datasets: String
  var secret: [UInt8]
  /// How far ahead its tokens may end, in hours.
  var hoursMax: Int64 = 24

  static let secretBytesMin = 32
  static let hours: ClosedRange<Int64> = 1...8_760
}

/// A JSON Web Token that a team's backend has signed with HMAC-SHA256.
///
/// Source: RFC 7515, section 3.1; RFC 7518, section 3.2; RFC 7519, section 4.1.
enum SignedToken {
  /// By how much the clocks of two machines may differ, in seconds.
  static let leeway: Int64 = 60
  /// The audience of the service.
  static let audience = "layoutcache"

  /// Returns the permissions of a token.
  ///
  /// - Parameters:
  ///   - token: The text, in three parts.
  ///   - now: The time in seconds since 1970.
  /// - Throws: ``Problem`` with 401 for any fault.
  static func grant(of token: String, by keys: [SigningKey], at now: Int64) throws -> Grant {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    // For each fault before the signature is checked the answer is the same.
    guard parts.count == 3, let header: Header = try? decoded(parts[0]), header.crit == nil,
      header.alg == "HS256", let key = keys.first(where: { $0.name.isExactly(header.kid) })
    else { throw Problem(.invalidToken, "the token is not known, and not signed by a known key") }
    let signed = Array(token.utf8.prefix(parts[0].utf8.count + 1 + parts[1].utf8.count))
    // Compared to the last byte, so that the time says nothing about a forged one.
    let code = SHA256.authenticationCode(of: signed, key: key.secret)
    guard let given = Base64URL.bytes(parts[2]), given.count == code.count,
      zip(given, code).reduce(0, { $0 | ($1.0 ^ $1.1) }) == 0
    else { throw Problem(.invalidToken, "the token is not known, and not signed by a known key") }
    do {
      return try (decoded(parts[1]) as Claims).grant(by: key, at: now)
    } catch let fault as TokenFault {
      throw Problem(.invalidToken, "the token \(fault.description)")
    } catch {
      throw Problem(.invalidToken, "the token's claims are malformed: \(error)")
    }
  }

  /// Returns a token.
  ///
  /// - Parameter claims: A JSON object.
  static func text(claims: String, by key: SigningKey) -> String {
    var header = JSONWriter()
    header.beginObject()
    header.member("alg", "HS256")
    header.member("typ", "JWT")
    header.member("kid", key.name)
    header.endObject()
    let signed = Base64URL.text(header.bytes) + "." + Base64URL.text(Array(claims.utf8))
    let code = SHA256.authenticationCode(of: Array(signed.utf8), key: key.secret)
    return signed + "." + Base64URL.text(code)
  }

  private static func decoded<Value: Decodable>(_ part: Substring) throws -> Value {
    guard let bytes = Base64URL.bytes(part), let text = String(validating: bytes, as: UTF8.self)
    else { throw TokenFault("is not base64url of JSON") }
    return try JSONValueDecoder(JSONDocument(text)).decode(Value.self)
  }

  private struct Header: Decodable {
    let alg: String
    let kid: String
    /// Extensions that must be understood.
    let crit: [String]?
  }

  fileprivate struct Claims: Decodable {
    let exp: Double
    let nbf: Double?
    let aud: Audience?
    let sub: String?
    let layoutcache: Permissions

    func grant(by key: SigningKey, at now: Int64) throws -> Grant {
      // Beyond the range of dates, it is too far ahead.
      let end = Int64(exactly: exp.rounded(.down)) ?? .max
      if end <= now { throw TokenFault("has expired") }
      if end > now + key.hoursMax * 3600 + leeway {
        throw TokenFault("ends more than \(key.hoursMax) hours ahead")
      }
      if let nbf, nbf > Double(now + leeway) { throw TokenFault("is not valid yet") }
      if let aud, !aud.names.contains(audience) { throw TokenFault("is for another audience") }
      // It is written into the log, on a line and in a row.
      if let sub { try Limits.check(name: "\(key.name)/\(sub)", as: "sub") }
      var grant = Grant(
        name: sub.map { "\(key.name)/\($0)" } ?? key.name,
        datasets: layoutcache.datasets.filter { Grant.covers(key.datasets, $0) })
      (grant.layouts, grant.may) = (layoutcache.layouts, layoutcache.may)
      (grant.scope, grant.end, grant.namesClient) = (layoutcache.scope, end, sub != nil)
      if grant.scope != nil, grant.may.contains(.write) {
        throw TokenFault("has 'where' or 'view', and may write")
      }
      return grant
    }
  }

  /// The claim `aud`: a text or several.
  fileprivate struct Audience: Decodable {
    let names: [String]

    init(from decoder: any Decoder) throws {
      // A value that is no text must be a list.
      names =
        try (try? [decoder.singleValueContainer().decode(String.self)]) ?? [String](from: decoder)
    }
  }

  /// The claim `layoutcache`.
  fileprivate struct Permissions: Decodable {
    let datasets: [String]
    let layouts: [String]
    let may: Set<Grant.Permission>
    let scope: Grant.Scope?

    private struct Name: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Name.self)
      // A misspelt `where` would permit everything.
      let known = ["datasets", "layouts", "may", "where", "view"]
      if let other = members.allKeys.first(where: { !known.contains($0.stringValue) }) {
        throw TokenFault("has an unknown claim '\(excerpt(other.stringValue))'")
      }
      func value<Value: Decodable>(_ name: String) throws -> Value? {
        let name = Name(stringValue: name)
        // A `where` that is null would permit everything, too.
        return members.contains(name) ? try members.decode(Value.self, forKey: name) : nil
      }
      (datasets, layouts) = (try value("datasets") ?? [], try value("layouts") ?? [])
      may = try value("may") ?? []
      let (filter, view): (String?, String?) = (try value("where"), try value("view"))
      if filter != nil, view != nil { throw TokenFault("has both 'where' and 'view'") }
      scope = try filter.map { .items(try DatasetView(where: $0)) } ?? view.map { .view($0) }
    }
  }
}

/// The permissions of signed tokens that were verified: their viewers send many requests. The keys
/// are those of one ``AccessTokens``.
final class VerifiedTokens: Sendable {
  private static let countMax = 4096
  private let grants = Mutex<[ExactKey: Grant]>([:])

  /// Returns the permissions of a token, unless it has ended or was not verified lately.
  func grant(of token: String, at now: Int64) -> Grant? {
    grants.withLock { $0[ExactKey(token)] }.flatMap { $0.end ?? 0 > now ? $0 : nil }
  }

  func add(_ grant: Grant, of token: String) {
    grants.withLock { grants in
      if grants.count >= Self.countMax { grants = [:] }
      grants[ExactKey(token)] = grant
    }
  }
}

/// Source: RFC 4648, section 5, without padding.
enum Base64URL {
  private static let digits = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func text(_ bytes: [UInt8]) -> String {
    var (text, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(digits[Int(bits >> UInt32(count)) & 63])
      }
    }
    if count > 0 { text.append(digits[Int(bits << UInt32(6 - count)) & 63]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// - Returns: `nil` for other characters, or bits that no byte has.
  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    var (bytes, bits, count): ([UInt8], UInt32, Int) = ([], 0, 0)
    for character in text.utf8 {
      guard let digit = digits.firstIndex(of: character) else { return nil }
      (bits, count) = (bits << 6 | UInt32(digit), count + 6)
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count < 6 && bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
  }
}
