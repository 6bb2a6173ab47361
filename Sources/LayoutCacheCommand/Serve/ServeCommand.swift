import ArgumentParser
import Configuration
import LayoutCache
import LayoutCacheService
import LayoutCluster
import LayoutGeometry
import Logging
import SystemPackage
import TextFormats

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Answer over HTTP, with a page to look at feeds",
    discussion: """
      Datasets, layouts, queries, changes and events for programs in any language; a browser \
      finds the inspector at the same address. It listens on this machine alone unless it has \
      tokens.

      Each setting comes from the flag, else from the environment, else from the file of \
      --config with a line NAME=value each: port is LAYOUTCACHE_PORT there, limits.rowsMax is \
      LAYOUTCACHE_LIMITS_ROWS_MAX. --print-configuration lists all with their values and where \
      they come from.

      SIGTERM and SIGINT let requests under way end; a second one ends the process at once.

      Example:
        layoutcache serve --database layoutcache.sqlite --port 8080
      """)

  @OptionGroup var database: DatabaseOptions

  @Option(
    help: ArgumentHelp(
      "The log that this node of a cluster shares with others; --database is its cache",
      valueName: "postgresql://..."))
  var log: String?

  @Option(help: "The address to listen at (default: 127.0.0.1)")
  var host: String?

  @Option(help: "The port to listen at; 0 takes a free one (default: 8080)")
  var port: Int?

  @Option(help: "A second port, for health and metrics alone")
  var adminPort: Int?

  @Option(help: ArgumentHelp("The file with the tokens of those who may", valueName: "file"))
  var tokens: String?

  @Option(
    name: .customLong("allow-origin"),
    help: ArgumentHelp(
      "A web origin whose pages may read and change data, or * for all; repeatable",
      valueName: "origin"))
  var allowedOrigins: [String] = []

  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp(
      "A name by which clients reach the service, as through a proxy; repeatable",
      valueName: "name"))
  var allowedHosts: [String] = []

  @Option(help: ArgumentHelp("How the log is written: text or json", valueName: "format"))
  var logFormat: String?

  @Option(
    help: ArgumentHelp("What is logged: trace to critical (default: notice)", valueName: "level"))
  var logLevel: String?

  @Option(
    name: .customLong("set"),
    help: ArgumentHelp("Any other setting, as limits.rowsMax=500", valueName: "name=value"))
  var settings: [String] = []

  @Option(help: ArgumentHelp("A file with settings, as in the environment", valueName: "file"))
  var config: String?

  @Flag(help: "Print the settings, and do nothing else")
  var printConfiguration = false

  func run() throws {
    let (options, origins) = try ServeOptions.read(from: sources())
    if printConfiguration { return try printSettings(options, origins) }
    let service = try configuration(options)
    let logger = try logger(options)
    var cacheOptions = LayoutCacheOptions()
    cacheOptions.threadCountMax = options.threads
    cacheOptions.busyTimeout = Double(service.timeouts.busy.components.seconds)
    let cache = try LayoutCache(path: database.path, options: cacheOptions, logger: logger)
    let result = Result {
      let membership = try Membership(of: cache, options, logger)
      try waiting {
        try await ServiceRun(
          cache: cache, membership: membership, configuration: service, logger: logger
        ).run()
      }
    }
    let closed = Result { try cache.close() }
    do { try result.get() } catch ClusterError.diverged {
      throw Failure(
        .busy, "another log is in place of the node's, as behind a restore; start it again")
    } catch {
      throw Failure(error)
        ?? Failure(.inputOutput, "cannot serve at \(service.host): \(error)")
    }
    try closed.get()
  }

  // MARK: - Settings

  private func sources() throws -> [ServeOptions.Source] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ name: String, _ content: ConfigContent?) {
      let key = AbsoluteConfigKey(name.split(separator: ".").map(String.init))
      values[key] = content.map { ConfigValue($0, isSecret: false) }
    }
    set("cluster.log", log.map { .string($0) })
    set("host", host.map { .string($0) })
    set("port", port.map { .int($0) })
    set("adminPort", adminPort.map { .int($0) })
    set("tokens", tokens.map { .string($0) })
    set("allowedOrigins", allowedOrigins.isEmpty ? nil : .stringArray(allowedOrigins))
    set("allowedHosts", allowedHosts.isEmpty ? nil : .stringArray(allowedHosts))
    set("log.format", logFormat.map { .string($0) })
    set("log.level", logLevel.map { .string($0) })
    for setting in settings {
      let (name, content) = try content(of: setting)
      set(name, content)
    }
    var sources = [
      ServeOptions.Source(name: "the flags", provider: InMemoryProvider(values: values)),
      ServeOptions.Source(
        name: "the environment", provider: EnvironmentVariablesProvider(), prefix: ["layoutcache"]),
    ]
    if let config { sources.append(try file(config)) }
    return sources
  }

  /// The settings of a file, which are written as in the environment.
  private func file(_ path: String) throws -> ServeOptions.Source {
    let text = try InputFile(path).readText(bytesMax: Limits.configurationBytesMax)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let name = line.trimmingSpaces.prefix { $0 != "=" && $0 != "#" }.trimmingSpaces
      guard name.isEmpty || ServiceSetting.variables.contains(String(name)) else {
        throw Failure(
          .badInput,
          "\(path), line \(index + 1): there is no setting '\(excerpt(String(name)))'; "
            + "--print-configuration lists what can be set")
      }
    }
    let provider = try waiting {
      try await EnvironmentVariablesProvider(environmentFilePath: FilePath(path))
    }
    return ServeOptions.Source(name: path, provider: provider, prefix: ["layoutcache"])
  }

  /// Takes a setting that is given as "name=value".
  private func content(of text: String) throws -> (name: String, ConfigContent) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      let setting = ServiceSetting.all.first(where: { $0.name == parts[0] })
    else {
      throw Failure(
        .usage, "'\(excerpt(text))' sets nothing; --print-configuration lists what can be set")
    }
    switch setting.place {
    case .text: return (setting.name, .string(String(parts[1])))
    case .texts:
      return (setting.name, .stringArray(parts[1].split(separator: ",").map(String.init)))
    case .number, .optionalNumber, .seconds:
      guard let number = Int(parts[1]) else {
        throw Failure(.usage, "setting '\(setting.name)' is a whole number")
      }
      return (setting.name, .int(number))
    }
  }

  private func printSettings(_ options: ServeOptions, _ origins: [String?]) throws {
    var table = Table([.text("setting"), .text("value"), .text("from")])
    for (setting, origin) in zip(ServiceSetting.all, origins) {
      let text = options.text(of: setting)
      table.add([
        setting.name, setting.name == "cluster.log" ? Membership.withoutPassword(text) : text,
        origin ?? "the default",
      ])
    }
    var output = StandardOutput()
    try output.write(table.lines(.of()))
    try output.flush()
  }

  /// What the service is told, with the tokens of its file.
  private func configuration(_ options: ServeOptions) throws -> ServiceConfiguration {
    var configuration = options.service
    if !options.tokenFile.isEmpty { configuration.tokens = try readTokens(options.tokenFile) }
    do { try configuration.validate() } catch { throw Failure(.usage, "\(error)") }
    return configuration
  }

  private func readTokens(_ path: String) throws -> AccessTokens {
    let text = try InputFile(path).readText(bytesMax: 1 << 20)
    do {
      return try AccessTokens(text: text)
    } catch { throw Failure(.badInput, "\(path), \(error)") }
  }

  private func logger(_ options: ServeOptions) throws -> Logger {
    guard let format = ServiceLog.Format(rawValue: options.logFormat) else {
      throw Failure(.usage, "the log's format is text or json, not '\(excerpt(options.logFormat))'")
    }
    guard let level = Logger.Level(rawValue: options.logLevel) else {
      let known = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
      throw Failure(.usage, "the log's level is one of \(known)")
    }
    return Logger(label: "layoutcache") {
      ServiceLog(label: $0, format: format, level: level)
    }
  }
}
