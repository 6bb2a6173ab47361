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
  /// Reads the token file again; `nil` without one.
  let readTokens: (@Sendable () throws -> AccessTokens)?
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
      // Otherwise it ends the process, as when a terminal is closed.
      if readTokens != nil || systemd != nil {
        tasks.addTask {
          for await _ in await UnixSignalsSequence(trapping: .sighup) { reloadTokens(of: service) }
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
  private func reloadTokens(of service: LayoutService) {
    guard let readTokens else {
      logger.notice("nothing to reload: the service has no token file")
      return
    }
    do {
      try service.replaceTokens(readTokens())
      logger.notice("reloaded the token file")
    } catch {
      logger.error(
        "cannot reload the token file; the previous tokens stay",
        metadata: ["error": "\(error)"])
    }
  }
}

/// The background work of a node, as long as its service runs.
private struct NodeRun: Service {
  let node: ClusterNode
  let logger: Logger

  func run() async throws {
    try await cancelWhenGracefulShutdown { try await node.run(logger) }
  }
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
