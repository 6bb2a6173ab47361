import Configuration
import LayoutGeometry
import SystemPackage
import TextFormats

extension ServeCommand {
  func sources() throws -> [ServeOptions.Source] {
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
    set("pages", pages.map { .string($0) })
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

  /// Reads the settings of a file, written like environment variables.
  private func file(_ path: String) throws -> ServeOptions.Source {
    let text = try InputFile(path).readText(bytesMax: Limits.configurationBytesMax)
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let name = String(line.trimmingSpaces.prefix { $0 != "=" && $0 != "#" }.trimmingSpaces)
      guard name.isEmpty || ServiceSetting.variables.contains(name) else {
        throw Failure(
          .badInput, "\(path), line \(index + 1): unknown setting '\(excerpt(name))'",
          hint: ServiceSetting.nearVariable(name)
            ?? "--print-configuration lists the settings; limits.rowsMax is "
            + "LAYOUTCACHE_LIMITS_ROWS_MAX")
      }
    }
    let provider = try waiting {
      try await EnvironmentVariablesProvider(environmentFilePath: FilePath(path))
    }
    return ServeOptions.Source(name: path, provider: provider, prefix: ["layoutcache"])
  }

  /// Parses a setting given as "name=value".
  private func content(of text: String) throws -> (name: String, ConfigContent) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2,
      let setting = ServiceSetting.all.first(where: { $0.name == parts[0] })
    else {
      let name = String(parts[0])
      if ServiceSetting.all.contains(where: { $0.name == name }) {
        throw Failure(.usage, "setting '\(name)' has no value", hint: "write it as NAME=VALUE")
      }
      throw Failure(
        .usage, "unknown setting '\(excerpt(name))'",
        hint: ServiceSetting.nearSetting(name) ?? "--print-configuration lists the settings")
    }
    switch setting.place {
    case .text: return (setting.name, .string(String(parts[1])))
    case .texts:
      return (setting.name, .stringArray(parts[1].split(separator: ",").map(String.init)))
    case .seconds:
      guard let number = Double(parts[1]), number.isFinite else {
        throw Failure(.usage, "setting '\(setting.name)' must be a number of seconds")
      }
      return (setting.name, .double(number))
    case .number, .optionalNumber:
      guard let number = Int(parts[1]) else {
        throw Failure(.usage, "setting '\(setting.name)' must be a whole number")
      }
      return (setting.name, .int(number))
    }
  }

  func printSettings(_ options: ServeOptions, _ origins: [String?]) throws {
    var table = Table([.text("setting"), .text("value"), .text("from")])
    for (setting, origin) in zip(ServiceSetting.all, origins) {
      let text = options.text(of: setting)
      table.add([
        setting.name, setting.name == "cluster.log" ? LogAddress.withoutPassword(text) : text,
        origin ?? "the default",
      ])
    }
    var output = StandardOutput()
    try output.write(table.lines(.of()))
    try output.flush()
  }
}
