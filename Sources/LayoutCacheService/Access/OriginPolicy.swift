import HTTPTypes
import LayoutGeometry

/// The hosts that the service answers for, and the web pages from which it accepts changes.
///
/// A browser sends requests on behalf of any page that it shows: to this machine, and to a name
/// whose owner has made it resolve to this machine. Requests of the first kind would let every
/// page change the data of a service without tokens; those of the second (DNS rebinding) would
/// let the page read the data too.
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

  /// Checks that a request is addressed to this service.
  ///
  /// - Throws: ``Problem``: 400 for an invalid `Host`, 421 for the host of another service.
  func requireOwnHost(_ authority: String?) throws {
    guard let authority, let host = HostName(authority) else {
      throw Problem(.badRequest, "the Host header is missing or invalid")
    }
    guard host.isLoopback || allowedHosts.contains(host.name) || acceptsAddresses && host.isAddress
    else {
      throw Problem(
        .misdirectedRequest,
        "host '\(host.name)' is not allowed; to allow it, start the service with --allow-host "
          + host.name)
    }
  }

  /// Checks that a request with side effects does not come from a page of another site.
  ///
  /// - Throws: ``Problem`` with 403.
  func requireOwnOrigin(_ headers: HTTPFields, authority: String?) throws {
    if let origin = headers[.origin] {
      if allows(origin) || isOwn(origin, authority) { return }
      throw Problem(
        .crossOriginRequest,
        "pages of origin '\(excerpt(origin))' may not change data; to allow them, start the "
          + "service with --allow-origin")
    }
    guard let site = headers[.secFetchSite], site != "same-origin", site != "none" else { return }
    throw Problem(
      .crossOriginRequest,
      "a page of another origin may not change data (Sec-Fetch-Site: \(excerpt(site)))")
  }

  /// Whether a text has the form of an origin as browsers send it: a scheme and a host in lower
  /// case, without a path. `null` is the origin of pages from files.
  static func isOrigin(_ text: String) -> Bool {
    if text == "null" { return true }
    guard let scheme = text.firstIndex(of: ":"), text == text.lowercased() else { return false }
    let rest = text[text.index(after: scheme)...]
    guard rest.hasPrefix("//"), scheme != text.startIndex else { return false }
    return HostName(rest.dropFirst(2)) != nil
  }

  /// Whether an origin has the host and port that the request was sent to. The scheme is not
  /// compared: a proxy may terminate TLS.
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
  /// Parses a host as written in settings: without a port, an IPv6 address with or without
  /// brackets.
  init?(host: String) {
    let isBare = host.count { $0 == ":" } > 1 && !host.hasPrefix("[")
    self.init(isBare ? "[\(host)]" : host)
  }
}

extension HTTPField.Name {
  /// The relation of the requesting page's site to this one, as reported by the browser.
  fileprivate static let secFetchSite = HTTPField.Name("Sec-Fetch-Site")!
}
