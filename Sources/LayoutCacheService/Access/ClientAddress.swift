import HTTPTypes
import Hummingbird
import NIOCore
import TextFormats

/// The address of a client or of a proxy: 4 bytes, or 16 of IPv6.
struct ClientAddress: Hashable, Sendable {
  private let bytes: [UInt8]

  /// The address without the part that a client may choose: of IPv6, the first 64 bits.
  var network: [UInt8] { bytes.count == 16 ? Array(bytes.prefix(8)) : bytes }

  /// - Returns: `nil` for a socket without an IP address.
  init?(_ address: SocketAddress?) {
    // The offsets of the address in `sockaddr_in` and `sockaddr_in6`, on all systems.
    switch address {
    case .v4(let address):
      bytes = withUnsafeBytes(of: address.address) { Array($0[4..<8]) }
    case .v6(let address):
      let all = withUnsafeBytes(of: address.address) { Array($0[8..<24]) }
      // Of IPv4, as a socket that accepts both has it.
      let isMapped = all.prefix(12).elementsEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF])
      bytes = isMapped ? Array(all.suffix(4)) : all
    default: return nil
    }
  }

  /// Parses an address, also with a port, as proxies report it.
  init?(_ text: some StringProtocol) {
    guard let host = HostName(host: String(text)),
      let address = try? SocketAddress(ipAddress: host.name, port: 0)
    else { return nil }
    self.init(address)
  }
}

extension ClientAddress: CustomStringConvertible {
  var description: String {
    (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress ?? ""
  }
}

extension ServiceDependencies {
  /// Returns the address of a request's client, which trusted proxies report.
  func address(of request: Request, _ context: ServiceContext) -> ClientAddress? {
    var address = ClientAddress(context.channel.remoteAddress)
    let forwarded = request.headers[values: .forwardedFor].joined(separator: ",")
    for text in forwarded.split(separator: ",").reversed() {
      guard let proxy = address, proxies.contains(proxy),
        let next = ClientAddress(text.trimmingSpaces)
      else { break }
      address = next
    }
    return address
  }
}

extension HTTPField.Name {
  fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
