import ArgumentParser
import LayoutCache
import LayoutCluster
import PostgresLog

/// What is done to a log that nodes share.
struct ClusterCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cluster", abstract: "Make and look after the log that nodes of a cluster share",
    discussion: """
      A node is a service with a shared log: layoutcache serve --log postgresql://...

      Examples:
        layoutcache cluster init --log postgresql://layoutcache@db1,db2,db3/layoutcache
        layoutcache cluster status
        layoutcache cluster checkpoint --dataset art
      """,
    subcommands: [
      ClusterInitCommand.self, ClusterStatusCommand.self, ClusterCheckpointCommand.self,
    ])
}

/// Which log a command works on.
struct SharedLogOptions: ParsableArguments {
  static let variable = "LAYOUTCACHE_CLUSTER_LOG"

  @Option(
    help: ArgumentHelp(
      "The log (default: $\(variable))", valueName: "postgresql://..."))
  var log: String?

  /// - Throws: ``Failure`` where neither option nor environment names a log.
  func url() throws -> String {
    if let log = log ?? environmentVariable(Self.variable), !log.isEmpty { return log }
    throw Failure(.usage, "no log is named; say which with --log, or \(Self.variable)")
  }

  /// Runs `body` on the log.
  ///
  /// - Parameter title: What people call it where it reads as a node does.
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
    case .unavailable(let reason): self.init(.busy, "the shared log can't be reached: \(reason)")
    case .unknown(let reason):
      self.init(.busy, "it is not known whether the shared log has taken it: \(reason)")
    case .incompatible(let reason): self.init(.corrupt, reason)
    case .rejected(let reason), .archiveDeleted(let reason):
      self.init(.inputOutput, "the shared log rejected the call: \(reason)")
    }
  }
}
