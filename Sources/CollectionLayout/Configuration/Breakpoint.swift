public import LayoutGeometry

/// Options of all sections in containers from a cross length on: one definition looks different
/// on a phone and on a desktop.
///
///     {"from": 700, "minimumColumnWidth": 220}
///
/// The last breakpoint whose ``from`` is at most the container's cross length applies. It
/// overrides the configuration's `section`; `styles` and `sections` override it.
public struct Breakpoint: Hashable, Sendable {
  /// The minimum cross length of the container, in points.
  public var from: Length
  /// The options, which replace those of `section`.
  public var options: SectionOptions

  /// Creates a breakpoint.
  public init(from: Length, options: SectionOptions) {
    self.from = from
    self.options = options
  }
}

extension Breakpoint: Codable {
  private static let fromKey = AnyKey(stringValue: "from")

  /// Decodes one object with `from` and the members of the options.
  ///
  /// - Throws: As ``SectionOptions``; ``ConfigurationError`` if `from` is missing.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: AnyKey.self)
    guard let from = try values.decodeIfPresent(Length.self, forKey: Self.fromKey) else {
      throw ConfigurationError(.missing("from"), at: decoder.codingPath.map(\.name))
    }
    self.init(from: from, options: try SectionOptions(from: decoder, besides: "from"))
  }

  /// Encodes one object.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: AnyKey.self)
    try values.encode(from, forKey: Self.fromKey)
    try options.encode(to: encoder)
  }
}

extension CodingKey {
  /// The name of a member, or the index of an element, from 0.
  var name: String { intValue.map(String.init) ?? stringValue }
}

extension LayoutConfiguration {
  /// Returns the index of the breakpoint that applies in a container; `nil` for none.
  package func breakpoint(atCrossLength length: Length) -> Int? {
    breakpoints.lastIndex { $0.from <= length }
  }

  /// Returns the options of a section without overrides in a container of a cross length.
  package func defaults(atCrossLength length: Length) -> SectionOptions {
    breakpoint(atCrossLength: length).map { breakpoints[$0].options.filled(from: section) }
      ?? section
  }

  /// The options of a section without overrides in the configuration's own container.
  package var defaults: SectionOptions {
    breakpoints.isEmpty ? section : defaults(atCrossLength: crossLength ?? .zero)
  }

  /// The container's length across the scrolling axis; `nil` if it is missing.
  package var crossLength: Length? {
    scrollDirection == .vertical ? container.width : container.height
  }

  /// Checks that the breakpoints ascend.
  ///
  /// - Throws: ``ConfigurationError`` naming the first that does not, or for too many.
  func checkBreakpoints() throws(ConfigurationError) {
    try ConfigurationError.limit(
      at: [], Limits.check(breakpoints.count, in: 0...Limits.breakpointsMax, as: "breakpoints"))
    for (index, breakpoint) in breakpoints.enumerated() {
      let path = ["breakpoints", "\(index)"]
      _ = try LayoutPlan.checked(breakpoint.from, "from", from: .zero, at: path)
      guard index > 0, breakpoints[index - 1].from >= breakpoint.from else { continue }
      throw ConfigurationError(
        .malformed(
          detail: """
            breakpoints must ascend: 'from' is \(breakpoint.from), after \
            \(breakpoints[index - 1].from)
            """), at: path)
    }
  }
}
