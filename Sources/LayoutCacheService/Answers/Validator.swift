import HTTPTypes
import Hummingbird
import LayoutCache

/// The identity of an answer: the incarnations of the dataset and of the layout's result, the
/// revision, the representation, the scroll positions of carousels, and the layout direction.
///
/// Weak: two answers with equal validators have the same elements, and may be compressed
/// differently.
struct Validator: Hashable, Sendable {
  /// The incarnations and the revision, as named by a pinned read.
  let state: String
  let revision: Int
  let tag: EntityTag

  init(_ snapshot: LayoutSnapshot, representation: String) {
    revision = snapshot.revision
    state = "\(snapshot.incarnation).\(revision)"
    let offsets = snapshot.carouselOffsets
    let direction = snapshot.layoutDirection == .rightToLeft ? ".rtl" : ""
    tag = EntityTag(
      "\(state).\(representation)\(direction)" + (offsets.isEmpty ? "" : ".at-\(offsets.digest)"))
  }

  /// Whether a pin, which is a validator in any representation, names this state.
  func isPinned(by pin: String) -> Bool {
    let text = EntityTag.opaque(pin[...])
    return text == state || text.hasPrefix(state + ".")
  }
}

extension CarouselOffsets {
  /// A hash of the offsets, in hexadecimal.
  ///
  /// Source: FNV-1a, 64 bits, http://www.isthe.com/chongo/tech/comp/fnv/.
  fileprivate var digest: String {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for (key, offset) in entries {
      for byte in "\(key)=\(offset.units)&".utf8 {
        hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
      }
    }
    return String(hash, radix: 16)
  }
}

/// A weak entity tag.
///
/// Source: RFC 9110, sections 8.8.3 and 13.1.2.
struct EntityTag: Hashable, Sendable {
  /// The tag without quotes.
  private let opaque: String

  /// - Parameter opaque: The tag without quotes, of ASCII letters, digits, `.` and `-`.
  init(_ opaque: String) { self.opaque = opaque }

  /// Creates the tag of content: the first bytes of its SHA-256, so that processes agree.
  init(hashing content: some Sequence<UInt8>) {
    let digits = Array("0123456789abcdef")
    let hash = SHA256.hash(Array(content)).prefix(12).flatMap { [$0 >> 4, $0 & 15] }
    self.init(String(hash.map { digits[Int($0)] }))
  }

  /// The value of an `ETag` header.
  var header: String { "W/\"\(opaque)\"" }

  /// Whether an `If-Match` or `If-None-Match` header matches the tag: `*`, or a list of tags,
  /// strong or weak, with or without the `-gzip` that proxies append.
  func matches(_ header: String) -> Bool {
    header.split(separator: ",").contains { item in
      let text = Self.opaque(item)
      return text == "*" || text == opaque || text == "\(opaque)-gzip"
    }
  }

  /// Returns a tag without its quotes and its weakness prefix.
  fileprivate static func opaque(_ item: Substring) -> Substring {
    var text = item.drop { $0 == " " }
    while text.last == " " { text.removeLast() }
    if text.hasPrefix("W/") { text = text.dropFirst(2) }
    if text.count > 1, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    return text
  }
}

extension ServiceRequest {
  /// Answers from a snapshot, or with 304 if the client has the answer.
  ///
  /// - Parameter representation: The form of the answer.
  /// - Throws: ``Problem`` with 409 if the query pins another state.
  func validated(
    _ snapshot: LayoutSnapshot, representation: String, _ answer: () throws -> Response
  ) throws -> Response {
    try validated(Validator(snapshot, representation: representation), answer)
  }

  /// As ``validated(_:representation:_:)``, for an answer with this validator.
  func validated(_ validator: Validator, _ answer: () throws -> Response) throws -> Response {
    let pin = query[.at]
    if let pin, !validator.isPinned(by: pin) {
      var problem = Problem(
        .pinnedStateExpired, "the layout is at revision \(validator.revision) now")
      problem.revision = validator.revision
      problem.validator = validator.tag.header
      throw problem
    }
    let isKnown =
      http.headers[.ifNoneMatch].map { validator.tag.matches($0) } ?? false
    var response = isKnown ? Response(status: .notModified) : try answer()
    response.headers[.eTag] = validator.tag.header
    response.headers[.revision] = String(validator.revision)
    response.headers[.vary] = "Accept, Accept-Encoding"
    // A pinned answer never changes; any other must be revalidated.
    response.headers[.cacheControl] =
      pin == nil
      ? "no-cache"
      : "\(caller.hasToken ? "private" : "public"), max-age=31536000, immutable"
    return response
  }
}

extension HTTPField.Name {
  /// The revision of an answer.
  static let revision = HTTPField.Name("LayoutCache-Revision")!
  /// Whether the caller may write to the dataset that was requested: `read` or `write`.
  static let access = HTTPField.Name("LayoutCache-Access")!
  static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
  /// The processing time, without network round trips.
  static let serverTiming = HTTPField.Name("Server-Timing")!
  static let idempotencyReplayed = HTTPField.Name("Idempotency-Replayed")!
}
