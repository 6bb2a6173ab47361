import ArgumentParser
import LayoutCluster
import PostgresLog

/// The subcommands that manage a shared log.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Create and manage the shared log of a cluster",
    discussion: """
      A node is a service with a shared log: layoutcache serve --log postgresql://...

      Examples:
        layoutcache cluster init --log postgresql://db1,db2,db3/layoutcache
        layoutcache cluster status
        layoutcache cluster checkpoint --dataset art
      """,
    subcommands: [
      ClusterInitCommand.self, ClusterStatusCommand.self, ClusterCheckpointCommand.self,
    ])
}

/// The shared log that a command works on.
struct SharedLogOptions: ParsableArguments {
  static let variable = "LAYOUTCACHE_CLUSTER_LOG"

  @Option(
    help: ArgumentHelp(
      "The shared log (default: $\(variable))", valueName: "postgresql://..."))
  var log: String?

  /// - Throws: ``Failure`` if neither the option nor the environment names a log.
  func url() throws -> String {
    if let log = log ?? environmentVariable(Self.variable), !log.isEmpty { return log }
    throw Failure(.usage, "no shared log given; name one with --log or \(Self.variable)")
  }

  /// Runs `body` on the log.
  ///
  /// - Parameter title: The title under which the command reads the log like a node.
  func withLog<R>(as title: String = "", _ body: (PostgresLog) throws -> R) throws -> R {
    do {
      var options = PostgresOptions()
      options.title = title
      let log = try PostgresLog(url(), options: options)
      defer { log.close() }
      return try body(log)
    } catch let failure as SharedLogFailure {
      throw Failure(failure)
    }
  }
}

extension Failure {
  init(_ failure: SharedLogFailure) {
    switch failure {
    case .unavailable(let reason): self.init(.busy, "cannot reach the shared log: \(reason)")
    case .busy(let reason): self.init(.busy, "the shared log is busy: \(reason)")
    case .misconfigured(let reason):
      self.init(
        .badInput, "the shared log does not admit this client: \(reason)",
        hint: "check its address, the role's password and permissions, and that the database exists"
      )
    case .unknown(let reason):
      self.init(.busy, "unknown whether the shared log stored the change: \(reason)")
    case .incompatible(let reason), .newerEntry(let reason): self.init(.corrupt, reason)
    case .rejected(let reason), .archiveDeleted(let reason):
      self.init(.inputOutput, "the shared log rejected the call: \(reason)")
    }
  }
}
