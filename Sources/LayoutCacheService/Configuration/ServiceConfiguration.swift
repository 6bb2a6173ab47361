/// The configuration of a service: where it listens, its access tokens, limits and timeouts.
///
/// It is a value: reading files and the environment is up to the program that runs the service.
public struct ServiceConfiguration: Sendable {
  /// The address to listen on: a name or an IP address of this machine.
  public var host = "127.0.0.1"
  /// The port; 0 selects a free one.
  public var port = 8080
  /// A second port that serves only `/healthz`, `/readyz` and `/metrics`, even while the first
  /// is at its connection limit; `nil` for none.
  public var adminPort: Int?
  /// The access tokens. If empty, all requests are allowed.
  public var tokens = AccessTokens()
  /// The origins of web pages of other servers that may read and change data, such as
  /// `https://shop.example`; `*` for all.
  public var allowedOrigins: [String] = []
  /// The names by which clients reach the service through a proxy or DNS, such as
  /// `feeds.example.org`, in addition to ``host`` and the names of this machine.
  public var allowedHosts: [String] = []
  /// The addresses of proxies whose `X-Forwarded-For` tells the clients apart in limits per client.
  public var trustedProxies: [String] = []
  /// A folder whose files are served below `/pages/` to all clients, without authentication;
  /// empty for none.
  public var pagesFolder = ""
  /// Files that are not served as pages: databases, whose log, index and lock are not either,
  /// and token files.
  package var privateFiles: [String] = []
  /// The limits of requests and of concurrent work.
  public var limits = ServiceLimits()
  /// The timeouts for clients and the database.
  public var timeouts = ServiceTimeouts()

  /// Creates the configuration of a service for this machine only, without tokens.
  public init() {}

  /// Checks the members and their combination.
  ///
  /// - Throws: ``ServiceConfigurationError``: `tokenRequired` if ``host`` is not this machine
  ///   and ``tokens`` is empty; `portOutOfRange`; `invalidHost`; `invalidProxy`;
  ///   `invalidOrigin`; `privateFileInPages`; `limitOutOfRange` for a limit or timeout below its minimum.
  public func validate() throws(ServiceConfigurationError) {
    if tokens.isEmpty && !isLoopback { throw .tokenRequired(host: host) }
    for port in [port, adminPort ?? 0] where !(0...65_535).contains(port) {
      throw .portOutOfRange(port)
    }
    for name in allowedHosts where HostName(host: name).map({ $0.port != nil }) ?? true {
      throw .invalidHost(name)
    }
    for proxy in trustedProxies where ClientAddress(proxy) == nil { throw .invalidProxy(proxy) }
    for origin in allowedOrigins where origin != "*" && !OriginPolicy.isOrigin(origin) {
      throw .invalidOrigin(origin)
    }
    if let file = PagesFolder(self)?.privateFile { throw .privateFileInPages(file) }
    for (name, value, least) in [
      ("limits.batchBytesMax", limits.batchBytesMax, 1),
      ("limits.headerBytesMax", limits.headerBytesMax, 1),
      ("limits.elementsMax", limits.elementsMax, 1), ("limits.rectsMax", limits.rectsMax, 1),
      ("limits.rowsMax", limits.rowsMax, 1), ("limits.connectionsMax", limits.connectionsMax, 1),
      ("limits.streamsMax", limits.streamsMax, 0), ("limits.importsMax", limits.importsMax, 1),
      ("limits.exportsMax", limits.exportsMax, 1),
      ("limits.answerCacheBytes", limits.answerCacheBytes, 0),
      ("timeouts.transferRateMin", timeouts.transferRateMin, 0),
    ] where value < least {
      throw .limitOutOfRange(name)
    }
    for (name, value) in [
      ("timeouts.header", timeouts.header), ("timeouts.idle", timeouts.idle),
      ("timeouts.answer", timeouts.answer), ("timeouts.transfer", timeouts.transfer),
      ("timeouts.drain", timeouts.drain), ("timeouts.busy", timeouts.busy),
    ] where !(.zero ... .seconds(1 << 31)).contains(value) {
      throw .limitOutOfRange(name)
    }
  }

  /// Whether the service is reachable only from this machine.
  var isLoopback: Bool {
    HostName(host: host).map { $0.isLoopback && ($0.isAddress || $0.name == "localhost") } ?? false
  }
}

/// The limits of a service. ``streamsMax`` and ``answerCacheBytes`` are at least 0, each other limit at
/// least 1.
public struct ServiceLimits: Sendable {
  /// The body of a batch, in bytes. Imports are unlimited.
  public var batchBytesMax = 16 << 20
  /// The header of a request, in bytes.
  public var headerBytesMax = 32 << 10
  /// The fields of a request's header.
  static let headerFieldsMax = 100
  /// The elements of one answer; a continuation returns the rest.
  public var elementsMax = 10_000
  /// The bytes of one answer before compression; a continuation returns the rest, or the answer
  /// says that everything has changed. Exports and events are no answers.
  var answerBytesMax = 4 << 20
  /// The rectangles of one query.
  public var rectsMax = 16
  /// The rows of one page of a list.
  public var rowsMax = 10_000
  /// Open connections; more wait until others close.
  public var connectionsMax = 4_096
  /// Open event streams.
  public var streamsMax = 1_024
  /// Concurrent imports; each has a thread. One client may have all but one of these, and of the
  /// exports.
  public var importsMax = 4
  /// Concurrent exports; each has a thread, separate from those of imports.
  public var exportsMax = 4
  /// The memory for answers that clients request repeatedly, in bytes; 0 to store none.
  public var answerCacheBytes = 16 << 20

  /// Creates the default limits.
  public init() {}
}

/// The timeouts for clients and the database, each from 0 to 2^31 seconds.
public struct ServiceTimeouts: Sendable {
  /// For a request's header, from its first byte or the opening of the connection.
  public var header = Duration.seconds(10)
  /// For the next request of a connection.
  public var idle = Duration.seconds(75)
  /// For a request's body, unless it is an import, and for taking a piece of an answer.
  public var answer = Duration.seconds(30)
  /// For an import or an export: the time over which the rate of its client is measured, and the
  /// minimum in bytes per second.
  public var transfer = Duration.seconds(10)
  public var transferRateMin = 64 << 10
  /// For a layout that is being brought up to date, before the answer 503.
  var preparing = Duration.seconds(5)
  /// For requests in progress at shutdown. The program applies it, as the
  /// `maximumGracefulShutdownDuration` of its group of services.
  public var drain = Duration.seconds(20)
  /// For a busy database, before the answer 503. The program applies it, as the cache's
  /// `LayoutCacheOptions.busyTimeout`.
  public var busy = Duration.seconds(5)

  /// Creates the default timeouts.
  public init() {}
}

/// The reason that a configuration is invalid.
@nonexhaustive
public enum ServiceConfigurationError: Error, Hashable, Sendable {
  /// Other machines could reach a service without tokens, which allows every request.
  case tokenRequired(host: String)
  /// A port that is not within 0 to 65535.
  case portOutOfRange(Int)
  /// A limit or timeout below its minimum, or a timeout above 2^31 seconds, by its name, such
  /// as `limits.rowsMax`.
  case limitOutOfRange(String)
  /// An allowed host that is neither a name nor an address, or has a port.
  case invalidHost(String)
  /// A trusted proxy that is not an IP address.
  case invalidProxy(String)
  /// An allowed origin that no browser sends.
  case invalidOrigin(String)
  /// A file that only the service may read, such as the database, in the folder of the pages.
  case privateFileInPages(String)
}

extension ServiceConfigurationError: CustomStringConvertible {
  /// The reason in one sentence.
  public var description: String {
    switch self {
    case .tokenRequired(let host):
      """
      a service at \(host) is reachable from other machines and needs a token; provide a token \
      file, or listen at 127.0.0.1
      """
    case .limitOutOfRange(let name): "\(name) is out of range"
    case .portOutOfRange(let port): "port \(port) is out of range; use 0 to 65535"
    case .invalidHost(let name):
      "'\(name)' is not a host name or address without a port, such as feeds.example.org"
    case .invalidProxy(let proxy): "'\(proxy)' is not the IP address of a proxy"
    case .privateFileInPages(let file):
      "the folder of --pages holds \(file), which all clients could read; choose another folder"
    case .invalidOrigin(let origin):
      """
      '\(origin)' is not the origin of a web page, such as https://shop.example or \
      http://localhost:3000, without a path; * allows all
      """
    }
  }
}
