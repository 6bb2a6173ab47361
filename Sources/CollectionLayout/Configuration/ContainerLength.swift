public import LayoutGeometry

/// A length of a configuration: points, or a part of the container.
///
///     let half = ContainerLength.fraction(0.5, minus: 100)  // 0.5 * (W - 200)
@nonexhaustive
public enum ContainerLength: Hashable, Sendable {
  /// The same length in containers of any size.
  case fixed(Length)
  /// A fraction of the container's length across the scrolling axis, insets included, less
  /// `minus`, for lengths along that axis too.
  ///
  /// The fraction, above 0 and at most 100, is taken as the nearest decimal
  /// number of nine places. The product is exact, and rounded down to 1/64 point; the result is
  /// at most ``Limits/sideMax``. A configuration is invalid in a container in which it is
  /// negative, or, other than for insets and spacings, less than 1/64 point.
  case fraction(Double, minus: Length = .zero)
}

extension ContainerLength {
  /// Returns the fixed length of a number of points, as ``Length/points(_:)``.
  public static func points(_ points: Double) -> ContainerLength { .fixed(.points(points)) }
}

extension ContainerLength: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
  /// Creates a fixed length of a literal number of points.
  public init(integerLiteral points: Int64) { self = .fixed(Length(integerLiteral: points)) }

  /// Creates a fixed length of a literal number of points.
  public init(floatLiteral points: Double) { self = .fixed(Length(floatLiteral: points)) }
}

extension ContainerLength {
  /// Returns the length in a container, which may be negative.
  ///
  /// - Parameter path: The path of the member, for errors.
  func resolved(
    in space: LayoutSpace, at path: @autoclosure () -> [String]
  ) throws(ConfigurationError) -> Length {
    switch self {
    case .fixed(let length): return length
    case .fraction(let fraction, let minus):
      try ConfigurationError.limit(at: path(), Limits.check(fraction: fraction))
      try ConfigurationError.limit(
        at: path(), Limits.check(minus, in: .zero...Limits.sideMax, as: "minus"))
      // Exact in 64 bits: at most 100 · 10^9 by 2^26 units. Doubles would turn 0.29 of 100 points
      // into less than 29.
      let billionths = Length(roundingUnits: fraction * 1e9).units
      let share = billionths * space.crossLength.units / 1_000_000_000
      return min(Length(units: share) - minus, Limits.sideMax)
    }
  }
}

extension ContainerLength: Codable {
  enum CodingKeys: String, CodingKey, CaseIterable { case fraction, minus }

  /// Decodes a number of points, or an object with `fraction` and, optionally, `minus`.
  public init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    do {
      self = .fixed(try single.decode(Length.self))
    } catch DecodingError.typeMismatch {
      guard decoder.hasObject else {
        let name = decoder.codingPath.last?.name ?? ""
        throw DecodingError.dataCorruptedError(
          in: single,
          debugDescription: "'\(name)' must be a number, or an object with fraction and minus")
      }
      let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
      self = .fraction(
        try values.decode(Double.self, forKey: .fraction),
        minus: try values.decodeIfPresent(Length.self, forKey: .minus) ?? .zero)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .fixed(let length): try length.encode(to: encoder)
    case .fraction(let fraction, let minus):
      var values = encoder.container(keyedBy: CodingKeys.self)
      try values.encode(fraction, forKey: .fraction)
      try values.encode(minus, forKey: .minus)
    }
  }
}

/// The space around a section's items, or within a background.
public struct ContainerInsets: Hashable, Sendable {
  /// The distance of the top edge, downward.
  public var top: ContainerLength
  /// The distance of the left edge, to the right.
  public var left: ContainerLength
  /// The distance of the bottom edge, upward.
  public var bottom: ContainerLength
  /// The distance of the right edge, to the left.
  public var right: ContainerLength

  /// Insets of zero.
  public static let zero = ContainerInsets(top: 0, left: 0, bottom: 0, right: 0)

  /// Creates insets from four distances.
  public init(
    top: ContainerLength, left: ContainerLength, bottom: ContainerLength, right: ContainerLength
  ) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }

  /// Creates insets that are the same in containers of any size.
  public init(_ insets: EdgeInsets) {
    self.init(
      top: .fixed(insets.top), left: .fixed(insets.left), bottom: .fixed(insets.bottom),
      right: .fixed(insets.right))
  }
}

extension ContainerInsets: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case top, left, bottom, right }

  /// Decodes insets: a missing side is 0, an unknown member is rejected.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    func side(_ key: CodingKeys) throws -> ContainerLength {
      try values.decodeIfPresent(ContainerLength.self, forKey: key) ?? 0
    }
    self.init(
      top: try side(.top), left: try side(.left), bottom: try side(.bottom),
      right: try side(.right))
  }
}
