import LayoutGeometry

/// A change of the cells in the visible rectangle, applied at query time. It is never stored,
/// and changes only cells.
///
/// All positions are along the main axis, from the content's leading edge. With v0 and v the
/// start and the length of the visible rectangle, `start` and `length` those of a cell, and
/// d = (start + length/2 - v0 - v/2) / (v/2), which is 0 in the middle and ±1 at the ends:
///
/// - `scale` scales a cell that intersects the visible rectangle by
///   max(0, 1 + (maximumScale - 1) · (1 - |d|)).
/// - `coverStack` moves a cell with start < v0 to v0 and scales it by
///   1 - 0.05 · min(1, (v0 - start)/length). Cells with start + length <= v0 - v are not moved, and
///   omitted by queries for a rectangle. Every cell's z-index is its item's index in the section.
/// - `rotary` turns every cell about the cross axis by
///   -max(-1, min(1, d)) · maximumAngle, with the perspective m34 = -1/500, and sets its
///   z-index to max(0, 1000 - |d| · 1000), of which the product is rounded half up. In a
///   mirrored layout that scrolls horizontally, d has the other sign: angles are those of
///   the content's axes.
/// - `pageTurn` moves a later page to v0. Later pages are those that start after v0, except the
///   feed's first cell, which is the current page until a page has reached v0. Every cell's
///   z-index is the number of items in the feed minus its item's index in the feed.
///
/// Z-indices are at least 0 and at most `Limits.customZIndexMax`, below those of pinned elements.
/// Transforms act about a cell's centre, after the transform of its custom kind. A cell's start and
/// length are those before any transform.
@nonexhaustive
public enum Effect: Hashable, Sendable {
  /// Cells are scaled up to a factor towards the middle of the visible rectangle.
  case scale(maximumScale: Double = Effect.maximumScaleDefault)
  /// Cells stop at the visible start, and later ones slide over them.
  case coverStack
  /// Cells turn away towards the ends of the visible rectangle, as on a drum, up to an angle in
  /// degrees.
  case rotary(maximumAngle: Double = Effect.maximumAngleDefault)
  /// The cells are pages: the current one moves off the later ones, which lie below it.
  case pageTurn
  /// No effect on the cells of a section whose layout has one; `none` in JSON.
  case off
  /// The effect of a registered ``QueryEffect``.
  case custom(String, options: [String: ConfigurationValue] = [:])

  /// The default factor of ``scale(maximumScale:)``.
  public static let maximumScaleDefault = 1.3
  /// The default angle of ``rotary(maximumAngle:)``, in degrees.
  public static let maximumAngleDefault = 60.0
}

extension Effect: Codable {
  fileprivate enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, maximumScale, maximumAngle, options
  }

  enum Kind: String, Codable, CaseIterable {
    case scale, coverStack, rotary, pageTurn
    case off = "none"

    /// The kind's member in addition to `kind`, if any.
    fileprivate var member: CodingKeys? {
      switch self {
      case .scale: .maximumScale
      case .rotary: .maximumAngle
      case .coverStack, .pageTurn, .off: nil
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
    guard let name = try values.decodeIfPresent(String.self, forKey: .kind) else {
      throw ConfigurationError(.missing(CodingKeys.kind.stringValue), at: path)
    }
    guard let kind = Kind(rawValue: name) else {
      // A custom effect, which must be registered.
      let rule = try NamedRule(ifObject: decoder)
      self = .custom(name, options: rule?.options ?? [:])
      return
    }
    for key in [CodingKeys.maximumScale, .maximumAngle, .options]
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
    case .off: self = .off
    }
  }

  /// Encodes the object with the effect's `kind` and that kind's members.
  public func encode(to encoder: any Encoder) throws {
    let (kind, value): (Kind, Double?)
    switch self {
    case .scale(let maximumScale): (kind, value) = (.scale, maximumScale)
    case .coverStack: (kind, value) = (.coverStack, nil)
    case .rotary(let maximumAngle): (kind, value) = (.rotary, maximumAngle)
    case .pageTurn: (kind, value) = (.pageTurn, nil)
    case .off: (kind, value) = (.off, nil)
    case .custom(let kind, let options):
      return try NamedRule(kind: kind, options: options).encode(to: encoder)
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
    case .coverStack, .pageTurn, .off, .custom:
      break
    }
  }
}
