import LayoutCache
import LayoutCluster
import NIOPosix
import Synchronization

/// What the handlers of a service share.
final class ServiceParts: Sendable {
  let cache: LayoutCache
  /// What decides on the cache's changes, where nodes share a log.
  let node: ClusterNode?
  let configuration: ServiceConfiguration
  let origins: OriginPolicy
  let metrics: PrometheusMetrics
  /// For imports, and for exports: each has a thread for as long as its client takes, so
  /// that neither waits for the clients of the other.
  let importThreads: NIOThreadPool
  let exportThreads: NIOThreadPool
  /// For what waits for the shared log, which keeps nobody from the cache's threads: as many as
  /// changes go into the log together.
  let logThreads: NIOThreadPool
  let imports: ImportRegistry
  let streams: Places
  let changes = SharedAnswers()
  let importPlaces: Places
  let exportPlaces: Places
  /// The name and version that the service goes by.
  let version: String

  private let draining = Atomic(false)

  init(
    _ cache: LayoutCache, _ node: ClusterNode?, _ configuration: ServiceConfiguration,
    _ metrics: PrometheusMetrics,
    version: String
  ) {
    self.cache = cache
    self.node = node
    self.configuration = configuration
    origins = OriginPolicy(configuration)
    self.metrics = metrics
    self.version = version
    importThreads = NIOThreadPool(numberOfThreads: configuration.limits.importsMax)
    exportThreads = NIOThreadPool(numberOfThreads: configuration.limits.exportsMax)
    logThreads = NIOThreadPool(numberOfThreads: ClusterNode.groupMax)
    streams = Places(
      max: configuration.limits.streamsMax, .tooManyStreams, of: "event streams")
    importPlaces = Places(max: configuration.limits.importsMax, .busy, of: "imports")
    exportPlaces = Places(max: configuration.limits.exportsMax, .busy, of: "exports")
    imports = ImportRegistry()
  }

  /// Whether the service has been told to stop.
  var isDraining: Bool { draining.load(ordering: .relaxed) }

  func beginDraining() { draining.store(true, ordering: .relaxed) }
}
