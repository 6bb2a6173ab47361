import LayoutGeometry
import TextFormats

extension ServeOptions {
  /// Reads the settings, each from the first source that has it.
  ///
  /// - Returns: The options, and for each setting the name of its source; `nil` if none has it.
  /// - Throws: ``Failure`` naming the setting and the source of an invalid value.
  static func read(
    from sources: [SettingsSource]
  ) throws -> (options: ServeOptions, origins: [String?]) {
    var options = ServeOptions()
    let origins = try ServiceSetting.all.map { setting -> String? in
      for source in sources {
        guard let text = source.value(setting) else { continue }
        guard options.set(setting, to: text) else {
          throw Failure(
            .usage,
            "setting '\(setting.name)' of \(source.name) is '\(excerpt(text))', which is not "
              + setting.expectation)
        }
        return source.name
      }
      return nil
    }
    return (options, origins)
  }

  /// Sets a setting to a value given as text, and returns whether the value is valid.
  private mutating func set(_ setting: ServiceSetting, to text: String) -> Bool {
    switch setting.place {
    case .text(let path):
      self[keyPath: path] = text
    case .number(let path, let range):
      guard let number = Int(text), range.contains(number) else { return false }
      self[keyPath: path] = number
    case .optionalNumber(let path, let range):
      guard let number = Int(text), range.contains(number) else { return false }
      self[keyPath: path] = number
    case .texts(let path):
      self[keyPath: path] = text.split(separator: ",").map { String($0.trimmingSpaces) }
    case .flag(let path):
      guard let flag = Bool(text) else { return false }
      self[keyPath: path] = flag
    case .seconds(let path, let range):
      guard let seconds = Double(text), range.contains(seconds) else { return false }
      self[keyPath: path] = .seconds(seconds)
    }
    return true
  }

  /// Returns the value of a setting, as written in a file.
  func text(of setting: ServiceSetting) -> String {
    switch setting.place {
    case .text(let path): self[keyPath: path]
    case .number(let path, _): String(self[keyPath: path])
    case .optionalNumber(let path, _): self[keyPath: path].map { String($0) } ?? ""
    case .texts(let path): self[keyPath: path].joined(separator: ",")
    case .flag(let path): String(self[keyPath: path])
    case .seconds(let path, _): secondsText(self[keyPath: path] / .seconds(1))
    }
  }
}

extension ServiceSetting {
  /// The description of valid values.
  fileprivate var expectation: String {
    switch place {
    case .text: "a text"
    case .texts: "a list of texts"
    case .flag: "true or false"
    case .number(_, let range), .optionalNumber(_, let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds(_, let range):
      "a number of seconds from \(secondsText(range.lowerBound)) to "
        + "\(secondsText(range.upperBound))"
    }
  }
}

/// Returns a number of seconds as a file has it, without needless decimals.
private func secondsText(_ seconds: Double) -> String {
  Int(exactly: seconds).map { String($0) } ?? String(seconds)
}
