import LayoutGeometry

/// A rule for how elements appear and disappear in transitions, provided by a user of the
/// library for sections of any kind.
///
/// Register it when opening a database. A configuration then names it in a section's options:
/// `"appearance": {"kind": "drop"}`.
///
/// Source: `initialLayoutAttributesForAppearingItem(at:)`,
/// `finalLayoutAttributesForDisappearingItem(at:)`, and their likes, of UICollectionViewLayout.
///
/// Law: the results are functions of the arguments and of `self`, and `init` of its argument.
public protocol AppearanceRule: Sendable {
  /// The rule's name in configurations; not that of a built-in one.
  static var kind: String { get }

  /// Creates a rule.
  ///
  /// - Parameter options: The `options` of the section's `appearance`; empty by default.
  /// - Throws: Any error; the configuration is then rejected with its description.
  init(options: [String: ConfigurationValue]) throws

  /// Returns the initial attributes of an element that a change has inserted; see
  /// ``SectionLayout/initialAttributes(forAppearing:)``.
  func initialAttributes(forAppearing element: LayoutAttributes) -> LayoutAttributes

  /// Returns the final attributes of an element that a change has deleted; see
  /// ``SectionLayout/finalAttributes(forDisappearing:)``.
  func finalAttributes(forDisappearing element: LayoutAttributes) -> LayoutAttributes
}

extension SectionOptions {
  /// How elements of a section appear and disappear in transitions.
  @nonexhaustive
  public enum Appearance: Hashable, Sendable {
    /// At their positions, from and to alpha 0.
    case fade
    /// From and to beyond the leading edge, moved by the container's length across.
    case slide
    /// From and to scale 0 about their centres.
    case scale
    /// By a registered ``AppearanceRule``.
    case custom(String, options: [String: ConfigurationValue] = [:])
  }
}

extension SectionOptions.Appearance: Codable {
  private static let names: [(name: String, appearance: Self)] = [
    ("fade", .fade), ("slide", .slide), ("scale", .scale),
  ]

  /// Decodes a name, or an object with `kind` and `options`.
  public init(from decoder: any Decoder) throws {
    if let rule = try NamedRule(ifObject: decoder) {
      self = .custom(rule.kind, options: rule.options)
    } else {
      self = try decoder.choice(among: Self.names.map { ($0.name, $0.appearance) })
    }
  }

  /// Encodes the name or the object.
  public func encode(to encoder: any Encoder) throws {
    if case .custom(let kind, let options) = self {
      try NamedRule(kind: kind, options: options).encode(to: encoder)
    } else {
      // Every other case has a name.
      try Self.names.first { $0.appearance == self }?.name.encode(to: encoder)
    }
  }
}

/// A rule of a user in a configuration: `{"kind": "drop", "options": {}}`.
struct NamedRule: Encodable {
  var kind: String
  var options: [String: ConfigurationValue]

  private enum CodingKeys: String, CodingKey, CaseIterable { case kind, options }

  init(kind: String, options: [String: ConfigurationValue]) {
    (self.kind, self.options) = (kind, options)
  }

  /// Decodes a rule.
  ///
  /// - Returns: `nil` for a value that is not an object.
  init?(ifObject decoder: any Decoder) throws {
    guard decoder.hasObject else { return nil }
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    kind = try values.decode(String.self, forKey: .kind)
    options =
      try values.decodeIfPresent([String: ConfigurationValue].self, forKey: .options) ?? [:]
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .kind)
    if !options.isEmpty { try values.encode(options, forKey: .options) }
  }
}

extension Decoder {
  /// Whether the value is an object. The only sign that it is none is that it cannot be read as one.
  var hasObject: Bool { (try? container(keyedBy: AnyKey.self)) != nil }

  /// Decodes one of some names.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown name, with the list of names.
  func choice<Value>(among known: [(name: String, value: Value)]) throws -> Value {
    let name = try singleValueContainer().decode(String.self)
    guard let found = known.first(where: { $0.name.isExactly(name) }) else {
      throw ConfigurationError(
        .unknownChoice(name, known: known.map(\.name)), at: codingPath.map(\.stringValue))
    }
    return found.value
  }
}

/// How elements of a section appear and disappear, after validation.
package enum AppearancePlan: Sendable {
  case fade, slide, scale
  case custom(any AppearanceRule)
}

extension OptionChecks {
  /// Returns the plan of a section's own effect.
  func effect(
    _ effect: Effect?, _ custom: CustomKinds
  ) throws(ConfigurationError) -> EffectPlan? {
    guard let effect else { return nil }
    return try EffectPlan(effect, custom, isOfLayout: false, at: path + ["effect"])
  }

  /// Returns the plan of a section's `appearance`.
  func appearance(
    _ appearance: SectionOptions.Appearance?, _ custom: CustomKinds
  ) throws(ConfigurationError) -> AppearancePlan? {
    switch appearance {
    case nil: nil
    case .fade: .fade
    case .slide: .slide
    case .scale: .scale
    case .custom(let kind, let options):
      .custom(try custom.appearanceRule(kind, options, at: path + ["appearance"]))
    }
  }
}
