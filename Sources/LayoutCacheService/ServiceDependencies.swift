import LayoutCache
import LayoutCluster
import NIOPosix
import Synchronization

/// The dependencies shared by the handlers of a service.
final class ServiceDependencies: Sendable {
  let cache: LayoutCache
  /// The node that commits the cache's changes; `nil` without a cluster.
  let node: ClusterNode?
  let configuration: ServiceConfiguration
  let origins: OriginPolicy
  /// The proxies whose `X-Forwarded-For` names the client.
  let proxies: Set<ClientAddress>
  let metrics = RequestMetrics()
  /// The threads for imports and exports. Each occupies a thread for as long as its client takes,
  /// so the pools are separate.
  let importThreads: NIOThreadPool
  let exportThreads: NIOThreadPool
  /// The threads for changes that wait for the shared log, so that the cache's threads do not: as
  /// many as the log commits changes in one group. Reads that must ask the log have the node's.
  let logThreads: NIOThreadPool
  let imports: ImportRegistry
  let connections = OpenConnections()
  let streams: Places
  let changes = SharedAnswers()
  let answers: AnswerCache
  let importPlaces: Places
  let exportPlaces: Places
  /// The permits of results in memory that take a pass over their dataset.
  let passPlaces = Places(max: 2, .preparing, of: "previews, views and new widths that take a pass")
  let measuring = MeasuringRates()
  let preparations: Preparations
  /// The name and version in the `Server` header.
  let version: String

  private let draining = Atomic(false)
  private let currentTokens: Mutex<AccessTokens>

  /// The access tokens, which may be replaced while the service runs; then streams whose clients
  /// lose their access end. If empty, all requests are allowed.
  var tokens: AccessTokens {
    get { currentTokens.withLock { $0 } }
    set {
      currentTokens.withLock { $0 = newValue }
      streams.endAll()
    }
  }

  init(
    _ cache: LayoutCache, _ node: ClusterNode?, _ configuration: ServiceConfiguration,
    version: String
  ) {
    (self.cache, self.node, self.configuration) = (cache, node, configuration)
    origins = OriginPolicy(configuration)
    answers = AnswerCache(bytesMax: configuration.limits.answerCacheBytes)
    self.version = version
    currentTokens = Mutex(configuration.tokens)
    importThreads = NIOThreadPool(numberOfThreads: configuration.limits.importsMax)
    exportThreads = NIOThreadPool(numberOfThreads: configuration.limits.exportsMax)
    logThreads = NIOThreadPool(numberOfThreads: ClusterNode.groupMax)
    streams = Places(
      max: configuration.limits.streamsMax, isShared: true, .tooManyStreams, of: "event streams")
    importPlaces = Places(max: configuration.limits.importsMax, .busy, of: "imports")
    exportPlaces = Places(max: configuration.limits.exportsMax, .busy, of: "exports")
    preparations = Preparations(secondsMax: configuration.timeouts.preparing)
    imports = ImportRegistry()
    proxies = Set(configuration.trustedProxies.compactMap { ClientAddress($0) })
  }

  /// Whether shutdown has begun.
  var isDraining: Bool { draining.load(ordering: .relaxed) }

  func beginDraining() { draining.store(true, ordering: .relaxed) }
}
