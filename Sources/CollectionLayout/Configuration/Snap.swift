public import LayoutGeometry

extension LayoutConfiguration {
  /// The positions at which scrolling rests, in addition to the content's two ends.
  @nonexhaustive
  public enum Snap: Hashable, Sendable {
    /// Anywhere.
    case none
    /// Positions where an item's start is at the visible start.
    case itemLeading
    /// Positions where an item's centre is at the visible centre.
    case itemCenter
    /// Multiples of the visible length.
    case page
    /// Offsets along the scrolling axis, from the content's leading edge: at least one, in any
    /// order, each 0 to ``Limits/contentLengthMax``.
    case positions([Length])
    /// The rule of a registered ``SnapRule``.
    case custom(String, options: [String: ConfigurationValue] = [:])
  }
}

extension LayoutConfiguration.Snap: Codable {
  private static let names: [(name: String, snap: LayoutConfiguration.Snap)] = [
    ("none", .none), ("itemLeading", .itemLeading), ("itemCenter", .itemCenter), ("page", .page),
  ]

  /// Decodes a name, a list of positions, or an object with `kind` and `options`.
  public init(from decoder: any Decoder) throws {
    if (try? decoder.unkeyedContainer()) != nil {
      self = .positions(try [Length](from: decoder))
    } else if let rule = try NamedRule(ifObject: decoder) {
      self = .custom(rule.kind, options: rule.options)
    } else {
      self = try decoder.choice(among: Self.names.map { ($0.name, $0.snap) })
    }
  }

  /// Encodes the name, the list or the object.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .positions(let positions): try positions.encode(to: encoder)
    case .custom(let kind, let options):
      try NamedRule(kind: kind, options: options).encode(to: encoder)
    default:
      // Every other case has a name.
      try Self.names.first { $0.snap == self }?.name.encode(to: encoder)
    }
  }
}

/// The positions at which scrolling rests, after validation.
package enum SnapPlan: Sendable {
  case none, itemLeading, itemCenter, page
  /// Ascending.
  case positions([Length])
  case custom(any SnapRule)

  init(_ snap: LayoutConfiguration.Snap, _ custom: CustomKinds) throws(ConfigurationError) {
    switch snap {
    case .none: self = .none
    case .itemLeading: self = .itemLeading
    case .itemCenter: self = .itemCenter
    case .page: self = .page
    case .positions(let positions):
      let path = ["snap"]
      try ConfigurationError.limit(
        at: path, Limits.check(positions.count, in: 1...Int.max, as: "positions"))
      for position in positions {
        try ConfigurationError.limit(
          at: path, Limits.check(position, in: .zero...Limits.contentLengthMax, as: "position"))
      }
      self = .positions(positions.sorted())
    case .custom(let kind, let options):
      self = .custom(try custom.snapRule(kind, options))
    }
  }
}
