import LayoutGeometry

extension Effect: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case kind, maximumScale, maximumAngle }

  private enum Kind: String, Codable, CaseIterable {
    case scale, coverStack, rotary, pageTurn

    /// The kind's member in addition to `kind`, if any.
    var member: CodingKeys? {
      switch self {
      case .scale: .maximumScale
      case .rotary: .maximumAngle
      case .coverStack, .pageTurn: nil
      }
    }
  }

  /// Decodes the object with the effect's `kind` and that kind's members.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown or missing kind, or a member that the kind
  ///   does not have; `DecodingError` for one of another type.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    let path = decoder.codingPath.map(\.stringValue)
    guard let kind = try values.decodeChoiceIfPresent(Kind.self, forKey: .kind) else {
      throw ConfigurationError(.missing(CodingKeys.kind.stringValue), at: path)
    }
    for key in [CodingKeys.maximumScale, .maximumAngle]
    where key != kind.member && values.contains(key) {
      let known = [CodingKeys.kind, kind.member].compactMap(\.?.stringValue)
      throw ConfigurationError(.unknownKey(key.stringValue, known: known), at: path)
    }
    let value = try kind.member.flatMap { try values.decodeIfPresent(Double.self, forKey: $0) }
    switch kind {
    case .scale: self = .scale(maximumScale: value ?? Self.maximumScaleDefault)
    case .coverStack: self = .coverStack
    case .rotary: self = .rotary(maximumAngle: value ?? Self.maximumAngleDefault)
    case .pageTurn: self = .pageTurn
    }
  }

  /// Encodes the object with the effect's `kind` and that kind's members.
  public func encode(to encoder: any Encoder) throws {
    let (kind, value): (Kind, Double?) =
      switch self {
      case .scale(let maximumScale): (.scale, maximumScale)
      case .coverStack: (.coverStack, nil)
      case .rotary(let maximumAngle): (.rotary, maximumAngle)
      case .pageTurn: (.pageTurn, nil)
      }
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .kind)
    if let member = kind.member { try values.encodeIfPresent(value, forKey: member) }
  }
}

extension Effect {
  /// Checks the effect's members against ``Limits``.
  ///
  /// - Parameter path: The path of the effect, for errors.
  func check(at path: [String]) throws(ConfigurationError) {
    switch self {
    case .scale(let maximumScale):
      try ConfigurationError.limit(
        at: path, Limits.check(effectScale: maximumScale, as: "maximumScale"))
    case .rotary(let maximumAngle):
      try ConfigurationError.limit(
        at: path, Limits.check(maximumAngle, in: 0...Limits.effectAngleMax, as: "maximumAngle"))
    case .coverStack, .pageTurn:
      break
    }
  }
}
