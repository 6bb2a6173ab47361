import Configuration
import LayoutGeometry

extension ServeOptions {
  /// A source of settings' values.
  struct Source: Sendable {
    let name: String
    let provider: any ConfigProvider
    /// The prefix of its setting names.
    var prefix: [String] = []
  }

  /// Reads the settings, each from the first source that has it.
  ///
  /// - Returns: The options, and for each setting the name of its source; `nil` if none has it.
  /// - Throws: ``Failure`` naming the setting and the source of an invalid value.
  static func read(
    from sources: [Source]
  ) throws -> (options: ServeOptions, origins: [String?]) {
    var options = ServeOptions()
    let origins = try ServiceSetting.all.map { setting -> String? in
      for source in sources where try options.take(setting, from: source) { return source.name }
      return nil
    }
    return (options, origins)
  }

  private mutating func take(_ setting: ServiceSetting, from source: Source) throws -> Bool {
    let key = AbsoluteConfigKey(
      source.prefix + setting.name.split(separator: ".").map(String.init))
    var invalid: Failure {
      // A flag's value has been parsed already.
      let text = try? source.provider.value(forKey: key, type: .string).value?.content
      var found = ""
      if case .string(let text)? = text { found = " is '\(excerpt(text))', which" }
      return Failure(
        .usage, "setting '\(setting.name)' of \(source.name)\(found) is not \(setting.expectation)")
    }
    func value(_ type: ConfigType) throws -> ConfigContent? {
      do {
        return try source.provider.value(forKey: key, type: type).value?.content
      } catch { throw invalid }
    }
    func number(_ range: ClosedRange<Int>) throws -> Int? {
      guard case .int(let number)? = try value(.int) else { return nil }
      guard range.contains(number) else { throw invalid }
      return number
    }
    switch setting.place {
    case .text(let path):
      guard case .string(let text)? = try value(.string) else { return false }
      self[keyPath: path] = text
    case .number(let path, let range):
      guard let number = try number(range) else { return false }
      self[keyPath: path] = number
    case .optionalNumber(let path, let range):
      guard let number = try number(range) else { return false }
      self[keyPath: path] = number
    case .texts(let path):
      guard case .stringArray(let texts)? = try value(.stringArray) else { return false }
      self[keyPath: path] = texts
    case .seconds(let path, let range):
      // A file may write the number without decimals, which its reader then takes as an integer.
      let seconds: Double
      switch try (try? value(.double)) ?? value(.int) {
      case .double(let number)?: seconds = number
      case .int(let number)?: seconds = Double(number)
      default: return false
      }
      guard range.contains(seconds) else { throw invalid }
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
