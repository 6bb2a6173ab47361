import CollectionLayout
import Foundation
import LayoutCache
import LayoutCacheService
import LayoutCluster
import Logging
import ServiceLifecycle
import TestSupport

/// A service with its own database, at its own port.
final class TestService: Sendable {
  let directory: TemporaryDirectory
  let cache: LayoutCache
  let node: ClusterNode?
  let port: Int
  let service: LayoutService
  private let group: ServiceGroup
  private let running: Task<Void, any Error>

  /// Starts a service, and returns once it listens.
  ///
  /// - Parameters:
  ///   - sectionLayouts: The custom kinds of a new cache.
  ///   - other: A service that serves the same cache; `nil` for a new cache.
  ///   - log: The log of which the service is a node; `nil` for a standalone one.
  init(
    _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    cache options: LayoutCacheOptions = LayoutCacheOptions(),
    sectionLayouts: [any SectionLayout.Type] = [], sharing other: TestService? = nil,
    following log: (any SharedLog)? = nil
  ) async throws {
    directory = try other?.directory ?? TemporaryDirectory()
    let cache =
      try other?.cache
      ?? LayoutCache(
        path: directory.path(of: "feeds.sqlite"), options: options, sectionLayouts: sectionLayouts)
    self.cache = cache
    node = try log.map { try ClusterNode(of: $0, on: cache) }
    var configuration = ServiceConfiguration()
    configuration.port = 0
    configure(&configuration)
    let (ports, ready) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    let service = try LayoutService(
      cache: cache, node: node, configuration: configuration, logger: logger,
      version: "layoutcache"
    ) { ready.yield($0) }
    self.service = service
    var groupConfiguration = ServiceGroupConfiguration(services: [service], logger: logger)
    groupConfiguration.maximumGracefulShutdownDuration = configuration.timeouts.drain
    let group = ServiceGroup(configuration: groupConfiguration)
    self.group = group
    running = Task {
      defer { ready.finish() }
      try await group.run()
    }
    var first: Int?
    for await port in ports {
      first = port
      break
    }
    guard let first else {
      try await running.value
      throw ServiceEnded()
    }
    port = first
  }

  struct ServiceEnded: Error {}

  /// Stops the service and waits for its end.
  func stop() async throws {
    await group.triggerGracefulShutdown()
    try await running.value
  }

  /// Runs `body` with a service.
  static func run<R>(
    _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: (TestService) async throws -> R
  ) async throws -> R {
    let service = try await TestService(configure)
    let result: Result<R, any Error>
    do { result = .success(try await body(service)) } catch { result = .failure(error) }
    try await service.stop()
    try service.cache.close()
    return try result.get()
  }

  /// Runs `body` with a service that has the dataset of ``makeFeed(items:)``.
  static func fed<R>(
    items: Int = 100, _ configure: (inout ServiceConfiguration) -> Void = { _ in },
    _ body: (TestService) async throws -> R
  ) async throws -> R {
    try await run(configure) { service in
      try service.makeFeed(items: items)
      return try await body(service)
    }
  }

  /// Sends a request over its own connection.
  func send(
    _ method: String = "GET", _ path: String, headers: [String: String] = [:], body: String = ""
  ) async throws -> TestAnswer {
    try await connect().send(method, path, headers: headers, body: body)
  }

  func connect() async throws -> TestConnection { try await TestConnection(port: port) }

  /// Creates a dataset "feed" of one section with `items` items, and a layout "phone".
  func makeFeed(items: Int = 100) throws {
    _ = try cache.importItems(into: "feed", mode: .create) { importer in
      for number in 0..<items {
        try importer.add(
          Item(key: "i\(number)", width: 4, height: Double(2 + number % 5)), section: "s")
      }
    }
    try cache.setLayout(
      LayoutID("phone", of: "feed"),
      to: ConfigurationText.decode(
        #"{"container":{"width":390},"section":{"columns":2,"columnSpacing":8,"header":40}}"#))
  }
}
