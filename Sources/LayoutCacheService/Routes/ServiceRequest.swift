import CollectionLayout
import HTTPTypes
import Hummingbird
import LayoutCache
import Logging
import NIOPosix
import TextFormats

/// A request with the dependencies for answering it.
struct ServiceRequest: Sendable {
  let service: ServiceDependencies
  /// The request as it was received.
  let http: Request
  let body: BodyStream
  let context: ServiceContext
  /// The variable parts of the path by name, decoded.
  let path: [String: String]
  let query: QueryItems
  let caller: Caller
  /// The layout direction of positions in the request and in the answer; `nil` for that of the
  /// layout's configuration.
  let direction: LayoutConfiguration.LayoutDirection?
  /// The filter and order in the query; `nil` for none.
  let stated: DatasetView?
  /// The view of the dataset that is read; `nil` for the whole one.
  private(set) var view: DatasetView?

  var cache: LayoutCache { service.cache }
  var logger: Logger { context.logger }

  /// The dataset named in the path.
  ///
  /// - Precondition: The route has one.
  var dataset: String { part("dataset") }

  /// The layout named in the path.
  ///
  /// - Precondition: The route has one.
  var layout: LayoutID { LayoutID(part("layout"), of: dataset) }

  func part(_ name: String) -> String {
    guard let part = path[name] else { preconditionFailure("the route's path has \(name)") }
    return part
  }

  /// The client as limits count it: by its token, else by its address, which trusted proxies
  /// report.
  var client: String {
    if let grant = caller.grant, grant.namesClient { return "token \(grant.name)" }
    return "address \(service.address(of: http, context)?.network ?? [])"
  }

  func respond(by route: Route) async throws -> Response {
    var own = self
    own.view = try await currentView()
    return try await LayoutCache.$caller.withValue(caller.name) { [own] in
      guard isStranger else { return try await route.handler(own) }
      return try await LayoutCache.$mayStoreSizes.withValue(false) {
        try await route.handler(own)
      }
    }
  }

  /// Whether the caller's reads store no widths of layouts: without a token where tokens exist, or
  /// from a page of another origin.
  private var isStranger: Bool {
    if !service.tokens.isEmpty && !caller.hasToken { return true }
    let ownOrigin: Void? = try? service.origins.requireOwnOrigin(
      http.headers, authority: http.head.authority)
    return ownOrigin == nil
  }

  /// Returns the view of the request, as it is defined now: that of the query, within that of the
  /// token.
  func currentView() async throws -> DatasetView? {
    var own = stated
    if query.takes(.view), let name = query[.view] {
      try query.refuse([.where, .order], "cannot be combined with 'view'")
      own = try await namedView(name)
    }
    switch caller.grant?.scope {
    case nil: return own
    case .items(let items)?: return try items.narrowed(to: own)
    case .view(let name)?: return try await namedView(name).narrowed(to: own)
    }
  }

  private func namedView(_ name: String) async throws -> DatasetView {
    let (cache, dataset) = (cache, dataset)
    return try await blocking { try cache.view(name, of: dataset) }
  }

  /// The layout that the query names, or the only one that the token of a part permits.
  var layoutName: String? { query[.layout] ?? (caller.isScoped ? caller.grant?.onlyLayout : nil) }

  /// Checks again that the caller may read the dataset: tokens may have been replaced.
  ///
  /// - Throws: ``Problem``: 401 or 403.
  func requireAccess() throws {
    let tokens = service.tokens
    try Caller(http.headers, tokens).require(.read, dataset: path["dataset"], tokens)
  }

  /// Runs a call that may wait for the file or take long on the cache's threads, where it does
  /// not delay other requests.
  func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await cache.perform { _ in try body() }
  }

  /// Runs a call that changes data. On a cluster node it waits for the shared log, and occupies
  /// no thread of the cache in the meantime.
  func deciding<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    guard service.node != nil else { return try await blocking(body) }
    return try await service.logThreads.runIfActive {
      try LayoutCache.$caller.withValue(caller.name, operation: body)
    }
  }
}
