import LayoutGeometry

/// A place that gives values to settings: the flags, the environment, or a file.
struct SettingsSource {
  /// The name, as messages have it.
  let name: String
  /// Returns the text of a setting's value; `nil` if the source does not give it.
  let value: (ServiceSetting) -> String?

  /// - Parameter flags: The texts by the names of the settings.
  init(flags: [String: String]) {
    name = "the flags"
    value = { flags[$0.name] }
  }

  /// - Parameter variables: The texts by the settings' variables.
  private init(name: String, variables: [String: String]) {
    self.name = name
    value = { variables[$0.variable] }
  }

  /// The variables of this process.
  static var environment: SettingsSource {
    var variables: [String: String] = [:]
    for setting in ServiceSetting.all {
      variables[setting.variable] = environmentVariable(setting.variable)
    }
    return SettingsSource(name: "the environment", variables: variables)
  }

  /// Reads a file with one `NAME=value` per line, named like the variables of the environment.
  /// White space around names and values is dropped. Of a name in several lines the last counts;
  /// empty lines, and those that begin with `#`, are ignored.
  ///
  /// - Throws: ``Failure`` naming the first line that sets nothing.
  init(file text: String, path: String) throws {
    var variables: [String: String] = [:]
    for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .enumerated()
    {
      let line = line.trimmingWhitespace
      if line.isEmpty || line.first == "#" { continue }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let variable = String(parts[0].trimmingWhitespace)
      guard ServiceSetting.variables.contains(variable) else {
        throw Failure(
          .badInput, "\(path), line \(index + 1): unknown setting '\(excerpt(variable))'",
          hint: ServiceSetting.nearVariable(variable)
            ?? "--print-configuration lists the settings; limits.rowsMax is "
            + "LAYOUTCACHE_LIMITS_ROWS_MAX")
      }
      guard parts.count == 2 else {
        throw Failure(
          .badInput, "\(path), line \(index + 1): \(variable) has no value; write NAME=value")
      }
      variables[variable] = String(parts[1].trimmingWhitespace)
    }
    self.init(name: path, variables: variables)
  }
}

extension Substring {
  /// The text without white space at its ends.
  fileprivate var trimmingWhitespace: Substring {
    var text = drop(while: \.isWhitespace)
    while text.last?.isWhitespace == true { text.removeLast() }
    return text
  }
}
