import ArgumentParser
import LayoutCache
import LayoutCacheService
import LayoutCluster
import LayoutGeometry
import Logging

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serve the HTTP API and the inspector page",
    discussion: """
      The API has datasets, layouts, queries, changes and events, for programs in any language; \
      the inspector is at the same address. Without tokens the service listens on this machine \
      only.

      Each setting is read from its flag, else from the environment, else from the file of \
      --config, which has one NAME=value per line. In the environment and in the file, the name of \
      port is LAYOUTCACHE_PORT, and that of limits.rowsMax is LAYOUTCACHE_LIMITS_ROWS_MAX. \
      --print-configuration lists all settings with their values and sources.

      After SIGTERM or SIGINT, requests in progress complete; a second signal ends the process \
      immediately.

      Example:
        layoutcache serve --database layoutcache.sqlite --port 8080
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(
    help: ArgumentHelp(
      "The shared log of a cluster, which the service joins; --database is its cache",
      valueName: "postgresql://..."))
  var log: String?

  @Option(help: "The address to listen on (default: 127.0.0.1)")
  var host: String?

  @Option(help: "The port to listen on; 0 chooses a free one (default: 8080)")
  var port: Int?

  @Option(help: "A second port, for health and metrics only (default: none)")
  var adminPort: Int?

  @Option(help: ArgumentHelp("A file with access tokens", valueName: "file"))
  var tokens: String?

  @Flag(help: "With a token file, let requests without a token read (default: 401)")
  var publicReads = false

  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      "A web origin whose pages may read and change data, or * for all; repeatable",
      valueName: "origin"))
  var allowedOrigins: [String] = []

  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp(
      "A host name of the service, such as that of a proxy; repeatable",
      valueName: "name"))
  var allowedHosts: [String] = []

  @Option(
    name: .customLong("trust-proxy"),
    help: ArgumentHelp(
      "The address of a proxy whose X-Forwarded-For counts in limits per client; repeatable",
      valueName: "address"))
  var trustedProxies: [String] = []

  @Option(
    help: ArgumentHelp(
      "A folder with web pages, served to all clients at /pages/ (default: none)",
      valueName: "folder"))
  var pages: String?

  @Option(
    help: ArgumentHelp("The format of the log: text or json (default: text)", valueName: "format"))
  var logFormat: String?

  @Option(
    help: ArgumentHelp("The log level: trace to critical (default: notice)", valueName: "level"))
  var logLevel: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp(
      "Any other setting, such as limits.rowsMax=500; repeatable", valueName: "name=value"))
  var settings: [String] = []

  @Option(
    help: ArgumentHelp("A file with settings, named as in the environment", valueName: "file"))
  var config: String?

  @Flag(help: "Fail if the database file is missing (default: create it)")
  var noCreate = false

  @Flag(help: "On a cluster node, delete datasets of another log from the file (default: fail)")
  var adopt = false

  @Flag(help: "Print the settings and exit")
  var printConfiguration = false

  func run() throws {
    let (options, origins) = try ServeOptions.read(from: sources())
    let logger = try logger(options)
    for variable in IgnoredVariable.all(origins: origins) {
      logger.warning("ignored an environment variable", metadata: variable.metadata)
    }
    if printConfiguration { return try printSettings(options, origins) }
    let service = try configuration(options)
    try service.limits.adjustProcessLimits()
    var cacheOptions = LayoutCacheOptions()
    cacheOptions.threadCountMax = options.threads
    cacheOptions.durability = try durability(options)
    cacheOptions.busyTimeout = service.timeouts.busy / .seconds(1)
    cacheOptions.createsFile = !noCreate
    let isNew = !database.exists
    let cache = try LayoutCache(path: database.path, options: cacheOptions, logger: logger)
    if isNew { logger.notice("created a new database", metadata: ["path": "\(database.path)"]) }
    if cache.isReadOnly {
      logger.notice(
        "the database is read-only; changes are rejected", metadata: ["path": "\(database.path)"])
    }
    try Self.serve(cache) {
      ServiceRun(
        cache: cache, membership: try Membership(of: cache, options, adoptsFile: adopt, logger),
        configuration: service, logger: logger, readTokens: { try Self.readTokens(options) })
    }
  }

  private func durability(_ options: ServeOptions) throws -> LayoutCacheOptions.Durability {
    guard let durability = LayoutCacheOptions.Durability(rawValue: options.durability) else {
      throw Failure(
        .usage, "unknown durability '\(excerpt(options.durability))'; use process or power")
    }
    return durability
  }

  /// Runs a service until a signal ends it, and closes the cache.
  static func serve(_ cache: LayoutCache, _ service: () throws -> ServiceRun) throws {
    var configuration = ServiceConfiguration()
    let result = Result {
      let run = try service()
      configuration = run.configuration
      try waiting { try await run.run() }
    }
    let closed = Result { try cache.close() }
    do { try result.get() } catch ClusterError.diverged {
      throw Failure(
        .busy, "the shared log was replaced, for example by a restore",
        hint: "restart the node with --adopt, which deletes its copies of the datasets")
    } catch let error as ServiceListenError {
      throw Failure(
        .inputOutput, "\(error)",
        hint: error.reason == .addressNotAvailable
          ? "choose another with --host"
          : error.port == configuration.adminPort
            ? "choose another with --admin-port" : "choose another with --port")
    } catch let error where !(error is LayoutCacheError) && !(error is Failure) {
      throw Failure(.inputOutput, "cannot serve at \(configuration.host): \(error)")
    }
    try closed.get()
  }

  // MARK: - Configuration

  /// Returns the service's configuration, with the tokens of the token file.
  private func configuration(_ options: ServeOptions) throws -> ServiceConfiguration {
    var configuration = options.service
    if let tokens = try Self.readTokens(options) { configuration.tokens = tokens }
    configuration.privateFiles = [database.path, options.tokenFile].filter { !$0.isEmpty }
    if !configuration.pagesFolder.isEmpty {
      var status = stat()
      guard stat(configuration.pagesFolder, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        throw Failure(.notFound, "no such folder: \(configuration.pagesFolder); check --pages")
      }
    }
    do { try configuration.validate() } catch { throw Failure(.usage, "\(error)") }
    return configuration
  }

  /// - Returns: `nil` without a token file.
  private static func readTokens(_ options: ServeOptions) throws -> AccessTokens? {
    let path = options.tokenFile
    if path.isEmpty { return nil }
    let text = try InputFile(path).readText(bytesMax: 1 << 20)
    do {
      var tokens = try AccessTokens(text: text)
      if options.publicReads { tokens.allowsPublicReads = true }
      return tokens
    } catch { throw Failure(.badInput, "\(path), \(error)") }
  }

  private func logger(_ options: ServeOptions) throws -> Logger {
    guard let format = ServiceLog.Format(rawValue: options.logFormat) else {
      throw Failure(.usage, "unknown log format '\(excerpt(options.logFormat))'; use text or json")
    }
    guard let level = Logger.Level(rawValue: options.logLevel) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.usage, "unknown log level '\(excerpt(options.logLevel))'; use one of \(known)")
    }
    return Logger(label: "layoutcache") {
      ServiceLog(label: $0, format: format, level: level)
    }
  }
}
