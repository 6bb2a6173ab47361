public import LayoutGeometry

extension LayoutConfiguration.Container {
  /// The widths, or heights, of a container that fits any window: the layout has a variant for
  /// each, which is laid out on first request.
  public struct Sizes: Hashable, Sendable {
    /// The default of ``step``.
    public static let stepDefault: Length = 8
    /// The default of ``keep``.
    public static let keepDefault = 16

    /// The distance between two variants, in points: requested sizes are rounded down to a
    /// multiple of it.
    public var step: Length
    /// The maximum number of variants, 1 to 256. Beyond it the least recently used are dropped.
    public var keep: Int

    /// Creates the sizes.
    public init(step: Length = Self.stepDefault, keep: Int = Self.keepDefault) {
      self.step = step
      self.keep = keep
    }
  }
}

extension LayoutConfiguration.Container.Sizes: Codable {
  private enum CodingKeys: String, CodingKey, CaseIterable { case step, keep }

  /// Decodes the sizes; missing members have their defaults.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown member.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    self.init(
      step: try values.decodeIfPresent(Length.self, forKey: .step) ?? Self.stepDefault,
      keep: try values.decodeWholeNumberIfPresent(forKey: .keep) ?? Self.keepDefault)
  }
}

extension LayoutConfiguration {
  /// Whether the layout has a variant for each width, or height, and no result itself.
  public var isResponsive: Bool { container.widths != nil || container.heights != nil }

  /// The sizes of the container across the scrolling axis; `nil` if it has one size.
  package var sizes: Container.Sizes? {
    scrollDirection == .vertical ? container.widths : container.heights
  }

  /// Checks a configuration, with all its variants if it is responsive: at the greatest width to
  /// which each breakpoint applies.
  ///
  /// - Parameter custom: The registered kinds of sections.
  /// - Throws: ``ConfigurationError`` naming the member and the limit.
  /// - Complexity: O(overridden sections · breakpoints).
  package func check(custom: CustomKinds = .none) throws(ConfigurationError) {
    guard isResponsive else {
      _ = try LayoutPlan(self, custom: custom)
      return
    }
    let isVertical = scrollDirection == .vertical
    let (name, otherName) = isVertical ? ("widths", "heights") : ("heights", "widths")
    guard let sizes else {
      throw ConfigurationError(
        .malformed(
          detail: """
            '\(otherName)' is along the scrolling axis of a \(scrollDirection.rawValue) layout; \
            use '\(name)'
            """), at: ["container"])
    }
    let path = ["container", name]
    if crossLength != nil {
      throw ConfigurationError(.conflict(isVertical ? "width" : "height", name), at: ["container"])
    }
    if (isVertical ? container.heights : container.widths) != nil {
      throw ConfigurationError(.conflict(name, otherName), at: ["container"])
    }
    _ = try LayoutPlan.checked(sizes.step, "step", from: OptionChecks.unit, at: path)
    try ConfigurationError.limit(
      at: path, Limits.check(sizes.keep, in: 1...Limits.variantsMax, as: "keep"))
    try checkBreakpoints()
    let ends = breakpoints.dropFirst().map { $0.from - OptionChecks.unit } + [Limits.sideMax]
    let starts = breakpoints.first.map { $0.from > Limits.trackMin ? [$0.from] : [] } ?? []
    for length in starts.map({ $0 - OptionChecks.unit }) + ends where length >= Limits.trackMin {
      var variant = configuration(of: VariantSize(cross: length, main: nil))
      // Whether pages fill the container depends on the requested size.
      if mainLength == nil, effect == .pageTurn { variant.effect = nil }
      _ = try LayoutPlan(variant, custom: custom)
    }
  }

  /// The container's length along the scrolling axis; `nil` for its cross length.
  private var mainLength: Length? {
    scrollDirection == .vertical ? container.height : container.width
  }
}

/// The size of a variant's container.
package struct VariantSize: Hashable, Sendable {
  /// The length across the scrolling axis.
  package var cross: Length
  /// The length along the scrolling axis; `nil` for the configuration's own.
  package var main: Length?
}

/// The size in the name of a variant, `NAME@WIDTH` or `NAME@WIDTHxHEIGHT`, as a caller wrote it.
package struct RequestedSize: Hashable, Sendable {
  private let first: Double
  private let second: Double?

  /// Parses the part of a name after its last `@`: one or two decimal numbers.
  ///
  /// - Throws: ``ConfigurationError`` with `malformedSize`.
  package init(_ text: some StringProtocol) throws(ConfigurationError) {
    let parts = text.split(separator: "x", maxSplits: 2, omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count) else { throw ConfigurationError(.malformedSize) }
    first = try Self.number(parts[0])
    second = parts.count == 2 ? try Self.number(parts[1]) : nil
  }

  /// Returns the number in decimal digits with at most one point between them.
  private static func number(_ text: some StringProtocol) throws(ConfigurationError) -> Double {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, text.utf8.count <= 64,
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let number = Double(String(text))
    else { throw ConfigurationError(.malformedSize) }
    return number
  }

  /// Returns the lengths across and along the scrolling axis, checked against the limits.
  ///
  /// - Throws: ``ConfigurationError`` with `limit`.
  fileprivate func lengths(
    _ axis: Axis
  ) throws(ConfigurationError) -> (cross: Length, main: Length?) {
    let isVertical = axis == .vertical
    let names = isVertical || second != nil ? ("width", "height") : ("height", "width")
    let one = try Self.length(first, names.0)
    guard let second else { return (one, nil) }
    let other = try Self.length(second, names.1)
    return isVertical ? (one, other) : (other, one)
  }

  private static func length(
    _ points: Double, _ name: String
  ) throws(ConfigurationError) -> Length {
    do {
      return try Limits.length(
        points: points, in: Limits.trackMin.points...Limits.sideMax.points,
        as: LimitError.Subject(name))
    } catch {
      throw ConfigurationError(.limit(error))
    }
  }
}

extension LayoutConfiguration {
  /// Returns the size of the variant for a requested size: the cross length rounded down to a
  /// multiple of the step, the main length only if an option depends on it.
  ///
  /// - Throws: ``ConfigurationError`` with `limit`.
  /// - Precondition: The configuration is responsive.
  /// - Complexity: O(overridden sections).
  package func variantSize(of requested: RequestedSize) throws(ConfigurationError) -> VariantSize {
    guard let step = sizes?.step else { preconditionFailure("the layout has one width") }
    let (cross, main) = try requested.lengths(scrollDirection)
    let rounded = Length(units: cross.units / step.units * step.units)
    guard rounded >= Limits.trackMin else {
      throw ConfigurationError(
        .limit(
          LimitError(
            .tooSmall, scrollDirection == .vertical ? "width" : "height",
            limit: max(step, Limits.trackMin).points, value: cross.points)))
    }
    let own = mainLength ?? rounded
    let dependsOnMain = main != nil && main != own && isMainLengthRead(atCrossLength: rounded)
    return VariantSize(cross: rounded, main: dependsOnMain ? main : nil)
  }

  /// Whether a section's layout depends on the container's length along the scrolling axis, as
  /// those of pages do. Custom kinds and decorators may read it.
  private func isMainLengthRead(atCrossLength length: Length) -> Bool {
    if effect == .pageTurn { return true }
    var options = [defaults(atCrossLength: length)]
    for overrides in [styles, sections] { options += overrides.values }
    return options.contains { $0.kind == .circle || $0.isCustom }
  }

  /// Returns the configuration of a variant: the same one, in a container of its size.
  package func configuration(of size: VariantSize) -> LayoutConfiguration {
    var variant = self
    let main = size.main ?? mainLength
    variant.container =
      scrollDirection == .vertical
      ? Container(width: size.cross, height: main) : Container(width: main, height: size.cross)
    return variant
  }

  /// Returns the text of a size after the `@` of a variant's name.
  package func text(of size: VariantSize) -> String {
    guard let main = size.main else { return "\(size.cross)" }
    return scrollDirection == .vertical ? "\(size.cross)x\(main)" : "\(main)x\(size.cross)"
  }
}
