import HTTPTypes
import Hummingbird
import LayoutCache
import Logging
import NIOPosix

/// A request, and what it takes to answer it.
struct Exchange: Sendable {
  let service: ServiceParts
  let request: Request
  let body: BodyStream
  let context: ServiceContext
  /// The variable parts of the path by their names, decoded.
  let path: [String: String]
  let query: QueryItems
  let caller: Caller

  var cache: LayoutCache { service.cache }
  var logger: Logger { context.logger }

  /// The dataset that the path names.
  ///
  /// - Precondition: The route has one.
  var dataset: String { part("dataset") }

  /// The layout that the path names.
  ///
  /// - Precondition: The route has one.
  var layout: LayoutID { LayoutID(part("layout"), of: dataset) }

  func part(_ name: String) -> String {
    guard let part = path[name] else { preconditionFailure("the route's path has \(name)") }
    return part
  }

  /// Runs a call that may wait for the file, or takes long, on the cache's threads: there it
  /// keeps nobody else from being answered.
  func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await cache.perform { _ in try body() }
  }

  /// Runs a call that changes something: where nodes share a log it waits for that, and keeps
  /// none of the cache's threads in the meantime.
  func deciding<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    guard service.node != nil else { return try await blocking(body) }
    return try await service.logThreads.runIfActive(body)
  }
}
