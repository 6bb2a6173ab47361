/// How a service works: where it listens, who may do what, and how much of everything.
///
/// It is a value: whoever runs the service reads files and the environment.
public struct ServiceConfiguration: Sendable {
  /// The address to listen at: a name or number of this machine.
  public var host = "127.0.0.1"
  /// The port; 0 takes a free one.
  public var port = 8080
  /// A second port for `/healthz`, `/readyz` and `/metrics` alone, which answers where the
  /// first is at its limit of connections; `nil` for none.
  public var adminPort: Int?
  /// Who may do what; without tokens everybody everything.
  public var tokens = AccessTokens()
  /// The origins of web pages of other servers that may read and change data, such as
  /// `https://shop.example`; `*` for all.
  public var allowedOrigins: [String] = []
  /// The names by which clients reach the service through a proxy or DNS, such as
  /// `feeds.example.org`, in addition to ``host`` and the names of this machine.
  public var allowedHosts: [String] = []
  public var limits = ServiceLimits()
  public var timeouts = ServiceTimeouts()

  public init() {}

  /// Checks what belongs together.
  ///
  /// - Throws: ``ServiceConfigurationError``.
  public func validate() throws(ServiceConfigurationError) {
    if tokens.isEmpty && !isLoopback { throw .tokenIsNeeded(host: host) }
    for port in [port, adminPort ?? 0] where !(0...65_535).contains(port) {
      throw .portOutOfRange(port)
    }
    for name in allowedHosts where HostName(host: name).map({ $0.port != nil }) ?? true {
      throw .invalidHost(name)
    }
  }

  /// Whether only this machine can reach the service.
  var isLoopback: Bool {
    HostName(host: host).map { $0.isLoopback && ($0.isAddress || $0.name == "localhost") } ?? false
  }
}

/// How much of everything a service takes and gives.
public struct ServiceLimits: Sendable {
  /// The body of a batch, in bytes. Imports have no limit.
  public var batchBytesMax = 16 << 20
  /// The header of a request, in bytes.
  public var headerBytesMax = 32 << 10
  /// The elements of one answer; those behind come with its continuation.
  public var elementsMax = 10_000
  /// The rectangles of one query.
  public var rectsMax = 16
  /// The rows of one page of a list.
  public var rowsMax = 10_000
  /// Open connections; more wait until others close.
  public var connectionsMax = 4_096
  /// Open event streams.
  public var streamsMax = 1_024
  /// Imports under way, and exports; each has a thread.
  public var transfersMax = 4

  public init() {}
}

/// How long a service waits for its clients.
public struct ServiceTimeouts: Sendable {
  /// For a request's header, from its first byte or the opening of the connection.
  public var header = Duration.seconds(10)
  /// For the next request of a connection.
  public var idle = Duration.seconds(75)
  /// For any progress of a body or an answer.
  public var stall = Duration.seconds(20)
  /// The least bytes of a body in a second, on average, beyond ``stall``.
  public var bodyRateMin = 1_024
  /// For requests under way when the service is told to stop.
  public var drain = Duration.seconds(20)
  /// For a busy database, before it is a 503.
  public var busy = Duration.seconds(5)

  public init() {}
}

/// What makes no service.
public enum ServiceConfigurationError: Error, Hashable, Sendable {
  /// Other machines could reach a service that lets everybody do everything.
  case tokenIsNeeded(host: String)
  case portOutOfRange(Int)
  /// An allowed host that is no name or address, or has a port.
  case invalidHost(String)
}

extension ServiceConfigurationError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .tokenIsNeeded(let host):
      """
      a service at \(host) can be reached from elsewhere and needs a token; give it a file of \
      tokens, or listen at 127.0.0.1
      """
    case .portOutOfRange(let port): "port \(port) is not within 0 to 65535"
    case .invalidHost(let name):
      "'\(name)' is no host name or address without a port, such as feeds.example.org"
    }
  }
}
