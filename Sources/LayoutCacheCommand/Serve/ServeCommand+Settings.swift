import LayoutGeometry
import TextFormats

extension ServeCommand {
  func sources() throws -> [SettingsSource] {
    var values: [String: String] = [:]
    values["cluster.log"] = log
    values["host"] = host
    values["port"] = port.map { String($0) }
    values["adminPort"] = adminPort.map { String($0) }
    values["tokens"] = tokens
    values["publicReads"] = publicReads ? "true" : nil
    values["allowedOrigins"] = allowedOrigins.isEmpty ? nil : allowedOrigins.joined(separator: ",")
    values["pages"] = pages
    values["allowedHosts"] = allowedHosts.isEmpty ? nil : allowedHosts.joined(separator: ",")
    values["trustedProxies"] = trustedProxies.isEmpty ? nil : trustedProxies.joined(separator: ",")
    values["log.format"] = logFormat
    values["log.level"] = logLevel
    for setting in settings {
      let (name, value) = try assignment(setting)
      values[name] = value
    }
    var sources = [SettingsSource(flags: values), .environment]
    if let config {
      sources.append(
        try SettingsSource(
          file: try InputFile(config).readText(bytesMax: Limits.configurationBytesMax),
          path: config))
    }
    return sources
  }

  /// Parses a setting given as "name=value".
  private func assignment(_ text: String) throws -> (name: String, value: String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard ServiceSetting.all.contains(where: { $0.name == name }) else {
      throw Failure(
        .usage, "unknown setting '\(excerpt(name))'",
        hint: ServiceSetting.nearSetting(name) ?? "--print-configuration lists the settings")
    }
    guard parts.count == 2 else {
      throw Failure(.usage, "setting '\(name)' has no value", hint: "write it as NAME=VALUE")
    }
    return (name, String(parts[1]))
  }

  func printSettings(_ options: ServeOptions, _ origins: [String?]) throws {
    var table = Table([.text("setting"), .text("value"), .text("from")])
    for (setting, origin) in zip(ServiceSetting.all, origins) {
      var text = options.text(of: setting)
      // It may have a password.
      if setting.name == "cluster.log", !text.isEmpty { text = "***" }
      table.add([setting.name, text, origin ?? "the default"])
    }
    var output = StandardOutput()
    try output.write(table.lines(.of()))
    try output.flush()
  }
}
