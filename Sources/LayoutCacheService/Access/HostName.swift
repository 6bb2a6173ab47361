/// The host and port of a `Host` header or of a web origin.
///
/// Source: RFC 3986, section 3.2; RFC 9110, section 7.2.
struct HostName: Hashable, Sendable {
  /// The name in lower case, an IPv6 address without brackets, a DNS name without its final dot.
  let name: String
  let port: Int?

  init(name: String, port: Int?) {
    (self.name, self.port) = (name, port)
  }

  /// Parses `name`, `name:port` or `[address]:port`.
  ///
  /// - Returns: `nil` for text of another form.
  init?(_ text: some StringProtocol) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.bytesMax, let end = Self.endOfName(bytes) else { return nil }
    var name = bytes[..<end]
    let isBracketed = name.first == UInt8(ascii: "[")
    if isBracketed { name = name.dropFirst().dropLast() }
    if name.last == UInt8(ascii: ".") { name = name.dropLast() }
    guard !name.isEmpty, name.allSatisfy(isBracketed ? Self.isOfAddress : Self.isOfName) else {
      return nil
    }
    self.name = String(decoding: name, as: UTF8.self).lowercased()
    let rest = bytes[end...].dropFirst()
    if rest.isEmpty {
      port = nil
    } else {
      guard rest.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let number = Int(String(decoding: rest, as: UTF8.self)), number <= 65_535
      else { return nil }
      port = number
    }
  }

  /// A DNS name has at most 253 bytes; an address and a port are shorter.
  private static let bytesMax = 260

  /// The index of the colon before the port, or the end.
  private static func endOfName(_ bytes: [UInt8]) -> Int? {
    guard bytes.first == UInt8(ascii: "[") else {
      return bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.count
    }
    guard let bracket = bytes.firstIndex(of: UInt8(ascii: "]")) else { return nil }
    let end = bracket + 1
    return end == bytes.count || bytes[end] == UInt8(ascii: ":") ? end : nil
  }

  /// Whether a byte may be part of a DNS name or an IPv4 address.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// Whether a byte may be part of an IPv6 address.
  private static func isOfAddress(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
      UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: ":"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  /// Whether the name denotes this machine, and cannot resolve to another.
  var isLoopback: Bool {
    name == "localhost" || name.hasSuffix(".localhost") || name == "::1"
      || ipv4.map { $0[0] == 127 } ?? false
  }

  /// Whether this is an address, not a name. DNS rebinding cannot make a browser use an address
  /// for a page of another site.
  var isAddress: Bool { ipv4 != nil || name.contains(":") }

  private var ipv4: [UInt8]? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    let numbers = parts.compactMap { part in
      part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt8(part) : nil
    }
    return numbers.count == 4 ? numbers : nil
  }
}
