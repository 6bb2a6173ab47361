import HTTPTypes
import LayoutGeometry

/// Which hosts the service answers for, and from which web pages it accepts changes.
///
/// A browser sends requests for any page that it shows: to this machine, and to a name that its
/// owner has pointed here. The first would let every page change the data of a service without
/// tokens, the second (DNS rebinding) would let it read them too.
///
/// Source: the Fetch standard, "Origin header"; Fetch Metadata, "Sec-Fetch-Site".
struct OriginPolicy: Sendable {
  private let allowedOrigins: Set<String>
  private let allowedHosts: Set<String>
  private let acceptsAddresses: Bool

  init(_ configuration: ServiceConfiguration) {
    allowedOrigins = Set(configuration.allowedOrigins)
    allowedHosts = Set(
      (configuration.allowedHosts + [configuration.host]).compactMap { HostName(host: $0)?.name })
    acceptsAddresses = !configuration.isLoopback
  }

  /// Whether pages of every site may read the answers.
  var allowsAllOrigins: Bool { allowedOrigins.contains("*") }

  func allows(_ origin: String) -> Bool { allowsAllOrigins || allowedOrigins.contains(origin) }

  /// Checks that a request is for this service.
  ///
  /// - Throws: ``Problem``: 400 for a `Host` that is none, 421 for that of another service.
  func requireOwnHost(_ authority: String?) throws {
    guard let authority, let host = HostName(authority) else {
      throw Problem(.badRequest, "the Host header is missing, or names no host")
    }
    guard host.isLoopback || allowedHosts.contains(host.name) || acceptsAddresses && host.isAddress
    else {
      throw Problem(
        .misdirectedRequest,
        "this service does not answer for host '\(host.name)'; it does with --allow-host "
          + host.name)
    }
  }

  /// Checks that a request that changes something comes from no page of another site.
  ///
  /// - Throws: ``Problem`` with 403.
  func requireOwnOrigin(_ headers: HTTPFields, authority: String?) throws {
    if let origin = headers[.origin] {
      if allows(origin) || isOwn(origin, authority) { return }
      throw Problem(
        .crossOriginRequest,
        "pages of origin '\(excerpt(origin))' may not change anything; they may with "
          + "--allow-origin")
    }
    guard let site = headers[.secFetchSite], site != "same-origin", site != "none" else { return }
    throw Problem(
      .crossOriginRequest,
      "a page of another origin may not change anything (Sec-Fetch-Site: \(excerpt(site)))")
  }

  /// Whether an origin has the host and port that the request was sent to. The scheme is that
  /// of the proxy, if there is one with TLS.
  private func isOwn(_ origin: String, _ authority: String?) -> Bool {
    guard let scheme = ["http", "https"].first(where: { origin.hasPrefix("\($0)://") }),
      let page = HostName(origin.dropFirst(scheme.count + 3)),
      let own = authority.flatMap({ HostName($0) })
    else { return false }
    let standard = scheme == "https" ? 443 : 80
    return page.name == own.name && page.port ?? standard == own.port ?? standard
  }
}

extension HostName {
  /// Reads a host as settings have it: without a port, an IPv6 address with or without brackets.
  init?(host: String) {
    let isBare = host.count { $0 == ":" } > 1 && !host.hasPrefix("[")
    self.init(isBare ? "[\(host)]" : host)
  }
}

extension HTTPField.Name {
  /// Where the page is that a browser sends a request for, by the browser's own word.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
