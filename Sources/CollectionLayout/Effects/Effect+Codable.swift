import LayoutGeometry

extension Effect: Codable, StrictlyDecodable {
  enum CodingKeys: String, CodingKey, CaseIterable { case kind, maximumScale, maximumAngle }

  private enum Kind: String, CaseIterable { case scale, coverStack, rotary, pageTurn }

  /// Decodes the object with the effect's `kind` and that kind's members.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown kind, one that is missing, and a
  ///   member that the kind does not have; `DecodingError` for one of another type.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(of: Self.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let path = decoder.codingPath.map(\.stringValue)
    guard let kind = try values.decodeChoiceIfPresent(Kind.self, forKey: .kind) else {
      throw ConfigurationError(.missing(CodingKeys.kind.stringValue), at: path)
    }
    func refuse(_ keys: CodingKeys...) throws {
      if let key = keys.first(where: values.contains) {
        throw ConfigurationError(.unknownKey(key.stringValue), at: path)
      }
    }
    switch kind {
    case .scale:
      try refuse(.maximumAngle)
      self = .scale(
        maximumScale: try values.decodeIfPresent(Double.self, forKey: .maximumScale)
          ?? Self.maximumScaleDefault)
    case .coverStack:
      try refuse(.maximumScale, .maximumAngle)
      self = .coverStack
    case .rotary:
      try refuse(.maximumScale)
      self = .rotary(
        maximumAngle: try values.decodeIfPresent(Double.self, forKey: .maximumAngle)
          ?? Self.maximumAngleDefault)
    case .pageTurn:
      try refuse(.maximumScale, .maximumAngle)
      self = .pageTurn
    }
  }

  /// Encodes the object with the effect's `kind` and that kind's members.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    let kind: Kind
    switch self {
    case .scale(let maximumScale):
      kind = .scale
      try values.encode(maximumScale, forKey: .maximumScale)
    case .coverStack:
      kind = .coverStack
    case .rotary(let maximumAngle):
      kind = .rotary
      try values.encode(maximumAngle, forKey: .maximumAngle)
    case .pageTurn:
      kind = .pageTurn
    }
    try values.encode(kind.rawValue, forKey: .kind)
  }
}

extension Effect {
  /// Holds the effect's members to ``Limits``.
  ///
  /// - Parameter path: Where the effect stands, for errors.
  func check(at path: [String]) throws(ConfigurationError) {
    do {
      switch self {
      case .scale(let maximumScale):
        try Limits.check(effectScale: maximumScale, as: "maximumScale")
      case .rotary(let maximumAngle):
        try Limits.check(effectAngle: maximumAngle, as: "maximumAngle")
      case .coverStack, .pageTurn:
        break
      }
    } catch {
      throw ConfigurationError(.limit(error), at: path)
    }
  }
}
