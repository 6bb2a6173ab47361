import LayoutCache
import LayoutCacheService
import LayoutCluster
import LayoutGeometry

/// A setting of a service: given by a flag, by the environment, or in a file.
///
/// Its name is that in the file, with dots between nested objects. The variable is the same in
/// capitals, `limits.batchBytesMax` as `LAYOUTCACHE_LIMITS_BATCH_BYTES_MAX`.
struct ServiceSetting: Sendable {
  enum Place: Sendable {
    case text(any ServePath<String>)
    case number(any ServePath<Int>, ClosedRange<Int>)
    case optionalNumber(any ServePath<Int?>, ClosedRange<Int>)
    case texts(any ServePath<[String]>)
    case flag(any ServePath<Bool>)
    /// In seconds, with decimals.
    case seconds(any ServePath<Duration>, ClosedRange<Double> = 1...86_400)
  }

  let name: String
  let place: Place

  static let all: [ServiceSetting] = [
    ServiceSetting(name: "host", place: .text(\.service.host)),
    ServiceSetting(name: "port", place: .number(\.service.port, 0...65_535)),
    ServiceSetting(name: "adminPort", place: .optionalNumber(\.service.adminPort, 0...65_535)),
    ServiceSetting(name: "tokens", place: .text(\.tokenFile)),
    ServiceSetting(name: "publicReads", place: .flag(\.publicReads)),
    ServiceSetting(name: "allowedOrigins", place: .texts(\.service.allowedOrigins)),
    ServiceSetting(name: "allowedHosts", place: .texts(\.service.allowedHosts)),
    ServiceSetting(name: "trustedProxies", place: .texts(\.service.trustedProxies)),
    ServiceSetting(name: "pages", place: .text(\.service.pagesFolder)),
    ServiceSetting(name: "threads", place: .number(\.threads, 1...1_024)),
    ServiceSetting(name: "durability", place: .text(\.durability)),
    ServiceSetting(name: "log.format", place: .text(\.logFormat)),
    ServiceSetting(name: "log.level", place: .text(\.logLevel)),
    ServiceSetting(
      name: "limits.batchBytesMax",
      place: .number(\.service.limits.batchBytesMax, 1_024...1 << 30)),
    ServiceSetting(
      name: "limits.headerBytesMax",
      place: .number(\.service.limits.headerBytesMax, 1_024...1 << 20)),
    ServiceSetting(
      name: "limits.elementsMax", place: .number(\.service.limits.elementsMax, 1...1_000_000)),
    ServiceSetting(name: "limits.rectsMax", place: .number(\.service.limits.rectsMax, 1...1_000)),
    ServiceSetting(name: "limits.rowsMax", place: .number(\.service.limits.rowsMax, 1...1_000_000)),
    ServiceSetting(
      name: "limits.connectionsMax",
      place: .number(\.service.limits.connectionsMax, 1...1_000_000)),
    ServiceSetting(
      name: "limits.streamsMax", place: .number(\.service.limits.streamsMax, 0...1_000_000)),
    ServiceSetting(
      name: "limits.importsMax", place: .number(\.service.limits.importsMax, 1...1_024)),
    ServiceSetting(
      name: "limits.exportsMax", place: .number(\.service.limits.exportsMax, 1...1_024)),
    ServiceSetting(
      name: "limits.answerCacheBytes",
      place: .number(\.service.limits.answerCacheBytes, 0...1 << 40)),
    ServiceSetting(name: "cluster.log", place: .text(\.cluster.log)),
    ServiceSetting(name: "cluster.node", place: .text(\.cluster.node.title)),
    ServiceSetting(
      name: "cluster.pollInterval", place: .seconds(\.cluster.node.pollInterval, 0.01...60)),
    ServiceSetting(name: "cluster.timeout", place: .seconds(\.cluster.node.timeout)),
    ServiceSetting(
      name: "cluster.followIdleTimeout", place: .seconds(\.cluster.node.followIdleTimeout)),
    ServiceSetting(name: "cluster.staleAfter", place: .seconds(\.cluster.node.staleAfter)),
    ServiceSetting(
      name: "cluster.diskMegabytes",
      place: .optionalNumber(\.cluster.node.diskMegabytes, 1...1_000_000_000)),
    ServiceSetting(name: "timeouts.header", place: .seconds(\.service.timeouts.header)),
    ServiceSetting(name: "timeouts.idle", place: .seconds(\.service.timeouts.idle)),
    ServiceSetting(name: "timeouts.answer", place: .seconds(\.service.timeouts.answer)),
    ServiceSetting(name: "timeouts.transfer", place: .seconds(\.service.timeouts.transfer)),
    ServiceSetting(
      name: "timeouts.transferRateMin",
      place: .number(\.service.timeouts.transferRateMin, 0...1 << 30)),
    ServiceSetting(name: "timeouts.drain", place: .seconds(\.service.timeouts.drain)),
    ServiceSetting(name: "timeouts.busy", place: .seconds(\.service.timeouts.busy)),
  ]
}

extension ServiceSetting {
  static let variablePrefix = "LAYOUTCACHE_"

  /// The environment variables of all settings.
  static let variables = Set(all.map(\.variable))

  /// Returns the question whether a setting was meant by an unknown name, which may be that of
  /// the variable or lack the first part; `nil` if none is near.
  static func nearSetting(_ name: String) -> String? {
    let setting =
      all.first { $0.variable == name } ?? all.first { $0.name.hasSuffix(".\(name)") }
    return setting.map { "did you mean '\($0.name)'?" } ?? didYouMean(name, among: all.map(\.name))
  }

  /// Returns the question whether a variable was meant by an unknown name, which may lack the
  /// prefix or be the setting's; `nil` if none is near.
  static func nearVariable(_ name: String) -> String? {
    let stem = name.hasPrefix(variablePrefix) ? String(name.dropFirst(variablePrefix.count)) : name
    let stems = all.map { String($0.variable.dropFirst(variablePrefix.count)) }
    let near = nearestName(to: stem.replacing(".", with: "_"), among: stems)
    return near.map { "did you mean '\(variablePrefix + $0)'?" }
  }

  /// The name of the environment variable.
  var variable: String {
    var variable = Self.variablePrefix
    for character in name {
      if character.isUppercase { variable += "_" }
      variable += character == "." ? "_" : character.uppercased()
    }
    return variable
  }
}

/// A key path into ``ServeOptions``.
typealias ServePath<Value> = WritableKeyPath<ServeOptions, Value> & Sendable

/// The options of `serve`.
struct ServeOptions: Sendable {
  var service = ServiceConfiguration()
  /// The token file; empty for none.
  var tokenFile = ""
  /// Whether reads need no token, although there is a token file.
  var publicReads = false
  /// The cache's threads for calls that wait for the file or take long.
  var threads = 8
  /// `process` or `power`: the failures that an acknowledged change survives.
  var durability = LayoutCacheOptions.Durability.process.rawValue
  /// `text` or `json`.
  var logFormat = "text"
  var logLevel = "notice"
  var cluster = ClusterSettings()
}

/// The settings of a node of a cluster.
struct ClusterSettings: Sendable {
  /// The URL of the shared log; empty for none.
  var log = ""
  /// The node's options; an empty title means the machine's name and the port.
  var node = ClusterOptions()
}

extension ClusterOptions {
  var diskMegabytes: Int? {
    get { diskBytes.map { $0 >> 20 } }
    set { diskBytes = newValue.map { $0 << 20 } }
  }
}
