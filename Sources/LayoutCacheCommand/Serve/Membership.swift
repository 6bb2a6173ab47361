import LayoutCache
import LayoutCacheService
import LayoutCluster
import Logging

#if Cluster
  import PostgresLog

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #else
    import Darwin
  #endif
#endif

/// The service's membership in a cluster, if any.
struct Membership: Sendable {
  /// The node that commits the cache's changes; `nil` without a cluster.
  let node: ClusterNode?
  /// Prevents other processes from running a node with the same file.
  private let lock: NodeLock?

  #if Cluster
    /// Makes the cache a node, if the settings name a log. While the log is unavailable, waits
    /// for it unless the file holds data that can be read without it.
    ///
    /// - Throws: ``Failure``; `LayoutCacheError`.
    init(
      of cache: LayoutCache, _ options: ServeOptions, adoptsFile: Bool = false, _ logger: Logger
    ) throws {
      let settings = options.cluster
      guard !settings.log.isEmpty else {
        node = nil
        lock = nil
        return
      }
      let lock = try NodeLock(of: cache.path)
      self.lock = lock
      var nodeOptions = settings.node
      if nodeOptions.title.isEmpty {
        nodeOptions.title = "\(Self.hostName):\(options.service.port)"
      }
      let title = nodeOptions.title
      nodeOptions.adoptsFile = adoptsFile
      nodeOptions.report = { $0.log(to: logger) }
      (nodeOptions.storedDecisions, nodeOptions.storeDecisions) = (lock.contents, lock.store)
      var logOptions = PostgresOptions()
      logOptions.title = title
      logOptions.rules = nodeOptions.rules
      do {
        let log = try PostgresLog(settings.log, options: logOptions)
        node = try Self.waitingForLog(logger, nodeOptions) {
          try ClusterNode(of: log, on: cache, options: nodeOptions)
        }
      } catch let failure as SharedLogFailure {
        throw Failure(failure)
      } catch ClusterError.unsharedDatasets(let names) {
        throw Failure(
          .badInput,
          "\(cache.path) has local datasets (\(listing(names))); a node needs an empty database",
          hint: "name another file with --database, and import these datasets into the cluster")
      } catch ClusterError.otherLog(let names) {
        throw Failure(
          .badInput,
          "\(cache.path) has datasets of another log, or from before a restore (\(listing(names)))",
          hint: "name another file with --database, or delete these datasets with --adopt")
      }
    }

    /// The machine's host name.
    private static var hostName: String {
      var bytes = [CChar](repeating: 0, count: 256)
      // The last byte stays 0.
      guard gethostname(&bytes, bytes.count - 1) == 0 else { return "node" }
      return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func waitingForLog<R>(
      _ logger: Logger, _ options: ClusterOptions, _ body: () throws -> R
    ) throws -> R {
      var hasWarned = false
      while true {
        do {
          return try body()
        } catch SharedLogFailure.unavailable(let reason) {
          if !hasWarned {
            logger.warning("Waiting for the shared log.", metadata: ["error": "\(reason)"])
          }
          hasWarned = true
          options.pause(.seconds(1))
        }
      }
    }
  #else
    /// - Throws: ``Failure`` if the settings name a log.
    init(
      of cache: LayoutCache, _ options: ServeOptions, adoptsFile: Bool = false, _ logger: Logger
    ) throws {
      guard options.cluster.log.isEmpty else {
        throw Failure(
          .usage, "this build of layoutcache does not support clusters",
          hint: "install layoutcache-cluster, or build one that does with 'make release CLUSTER=1'")
      }
      node = nil
      lock = nil
    }
  #endif
}
