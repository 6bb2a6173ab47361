import Configuration

extension ServeOptions {
  /// Where a setting's value comes from.
  struct Source: Sendable {
    let name: String
    let provider: any ConfigProvider
    /// What is before the names in it.
    var prefix: [String] = []
  }

  /// Reads the settings, each from the first source that has it.
  ///
  /// - Returns: The options, and for each setting the name of its source; `nil` where none
  ///   has it.
  /// - Throws: ``Failure`` naming the setting and the source where a value can't be taken.
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
    func value(_ type: ConfigType) throws -> ConfigContent? {
      let key = AbsoluteConfigKey(
        source.prefix + setting.name.split(separator: ".").map(String.init))
      do {
        return try source.provider.value(forKey: key, type: type).value?.content
      } catch {
        throw Failure(
          .usage, "setting '\(setting.name)' of \(source.name) is not \(setting.expectation)")
      }
    }
    func number(_ range: ClosedRange<Int>) throws -> Int? {
      guard case .int(let number)? = try value(.int) else { return nil }
      guard range.contains(number) else {
        throw Failure(
          .usage, "setting '\(setting.name)' of \(source.name) is not \(setting.expectation)")
      }
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
    case .seconds(let path):
      guard let seconds = try number(ServiceSetting.secondsRange) else { return false }
      self[keyPath: path] = .seconds(seconds)
    }
    return true
  }

  /// The value of a setting as a file would have it.
  func text(of setting: ServiceSetting) -> String {
    switch setting.place {
    case .text(let path): self[keyPath: path]
    case .number(let path, _): String(self[keyPath: path])
    case .optionalNumber(let path, _): self[keyPath: path].map { String($0) } ?? ""
    case .texts(let path): self[keyPath: path].joined(separator: ",")
    case .seconds(let path): String(self[keyPath: path].components.seconds)
    }
  }
}

extension ServiceSetting {
  fileprivate static let secondsRange = 1...86_400

  /// What values may be.
  fileprivate var expectation: String {
    switch place {
    case .text: "a text"
    case .texts: "a list of texts"
    case .number(_, let range), .optionalNumber(_, let range):
      "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .seconds:
      "a whole number of seconds from \(Self.secondsRange.lowerBound) to "
        + "\(Self.secondsRange.upperBound)"
    }
  }
}
