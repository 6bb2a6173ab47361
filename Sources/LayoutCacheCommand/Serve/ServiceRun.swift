import Dispatch
import LayoutCache
import LayoutCacheService
import LayoutCluster
import Logging
import ServiceLifecycle
import UnixSignals

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A service, from its start to the signal that ends it.
struct ServiceRun {
  let cache: LayoutCache
  let membership: Membership
  let configuration: ServiceConfiguration
  let logger: Logger
  /// Reads the token file again after SIGHUP, and returns `nil` without one. If this is `nil`,
  /// the signal ends the process, as when a terminal is closed.
  let readTokens: (@Sendable () throws -> AccessTokens?)?
  /// Called once when the service listens, with its port.
  var onReady: @Sendable (_ port: Int) -> Void = { _ in }

  /// Runs until a signal requests shutdown; requests in progress then end within a bound. A
  /// second signal ends the process immediately.
  ///
  /// - Throws: The errors of listening.
  func run() async throws {
    let systemd = SystemdNotifier()
    let host = configuration.host
    let service = try LayoutService(
      cache: cache, node: membership.node, configuration: configuration, logger: logger,
      version: "layoutcache/\(Version.number)"
    ) { port in
      logger.notice("The service is ready at http://\(host):\(port)/")
      systemd?.send("READY=1")
      onReady(port)
    }
    var services = [ServiceGroupConfiguration.ServiceConfiguration(service: service)]
    if let node = membership.node {
      // Requests in progress also complete when the node can't continue.
      services.append(
        ServiceGroupConfiguration.ServiceConfiguration(
          service: NodeRun(node: node, logger: logger),
          failureTerminationBehavior: .gracefullyShutdownGroup))
    }
    var groupConfiguration = ServiceGroupConfiguration(services: services, logger: logger)
    groupConfiguration.maximumGracefulShutdownDuration = configuration.timeouts.drain
    let group = ServiceGroup(configuration: groupConfiguration)
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      tasks.addTask {
        var count: Int32 = 0
        for await signal in signals {
          count += 1
          if count > 1 { _exit(128 + signal.rawValue) }
          logger.notice("The service is stopping; requests in progress may complete.")
          systemd?.send("STOPPING=1")
          await group.triggerGracefulShutdown()
        }
      }
      if let readTokens {
        tasks.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) {
            reloadTokens(of: service, readTokens)
          }
        }
      }
      if let systemd, let interval = systemd.watchdogInterval {
        tasks.addTask {
          while true {
            systemd.send("WATCHDOG=1")
            try await Task.sleep(for: interval)
          }
        }
      }
      defer { tasks.cancelAll() }
      try await tasks.next()
    }
  }
}

extension ServiceRun {
  private func reloadTokens(
    of service: LayoutService, _ readTokens: () throws -> AccessTokens?
  ) {
    do {
      guard let tokens = try readTokens() else {
        return logger.notice("nothing to reload: the service has no token file")
      }
      try service.replaceTokens(tokens)
      logger.notice("reloaded the token file")
    } catch {
      logger.error(
        "cannot reload the token file; the previous tokens stay",
        metadata: ["error": "\((error as? Failure)?.message ?? "\(error)")"])
    }
  }
}

extension ServiceLimits {
  /// Raises the limit of open files (`ulimit -n`) as far as it may and the connections need, and
  /// checks that the limit of memory (`ulimit -v`) leaves room for the threads of a service:
  /// SwiftNIO traps when it cannot create one.
  ///
  /// - Throws: ``Failure`` with `inputOutput`.
  func adjustProcessLimits() throws {
    #if canImport(Glibc)
      var limit = rlimit()
      let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      if getrlimit(files, &limit) == 0, limit.rlim_cur < connectionsMax + 256 {
        limit.rlim_cur = min(limit.rlim_max, rlim_t(connectionsMax + 256))
        // Without it, the service lowers the number of connections.
        setrlimit(files, &limit)
      }
      guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return }
      let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
      // The transfers, SwiftNIO's event loops and file input, and the runtime's own threads.
      let threadCount = importsMax + exportsMax + 6 * cores + 8
      // glibc reserves 64 MiB for the allocations of each thread, up to 8 times per core.
      let arenasMax = environmentVariable("MALLOC_ARENA_MAX").flatMap { Int($0) } ?? 8 * cores
      let needed = 256 + 8 * threadCount + 64 * max(1, min(threadCount, arenasMax))
      guard limit.rlim_cur >> 20 < needed else { return }
      throw Failure(
        .inputOutput,
        "the address space is limited to \(limit.rlim_cur >> 20) MiB; the service needs "
          + "\(needed) MiB",
        hint: "raise the limit (ulimit -v), or lower the need with MALLOC_ARENA_MAX=2")
    #endif
  }
}

/// The background work of a node, as long as its service runs.
private struct NodeRun: Service {
  let node: ClusterNode
  let logger: Logger

  func run() async throws { try await cancelWhenGracefulShutdown { try await node.run(logger) } }
}

/// Waits for asynchronous work on a thread without other work.
func waiting<R: Sendable>(_ body: @escaping @Sendable () async throws -> R) throws -> R {
  let end = DispatchSemaphore(value: 0)
  // Written before the semaphore is signalled, and read after the wait.
  nonisolated(unsafe) var result: Result<R, any Error>?
  Task {
    do { result = .success(try await body()) } catch { result = .failure(error) }
    end.signal()
  }
  end.wait()
  guard let result else { preconditionFailure("the work has ended") }
  return try result.get()
}
