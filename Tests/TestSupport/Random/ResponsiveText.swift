import Foundation

/// The text of a responsive layout's configuration, and those of its variants: an independent
/// reading of section 3 of the contract.
public struct ResponsiveText {
  private var top: [JSONValue.Member]
  private let isVertical: Bool
  /// Points between two variants.
  public let step: Double
  public let keep: Int

  /// Replaces the container of a configuration by one of any width, or height.
  ///
  /// - Precondition: The text is a configuration's.
  public init(_ text: String, step: Double, keep: Int, mainLength: Double?) {
    guard
      case .object(let members)? = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
    else { preconditionFailure("not a configuration: \(text)") }
    (self.step, self.keep) = (step, keep)
    var isVertical = true
    if case .string("horizontal")? = members.first(where: { $0.key == "scrollDirection" })?.value {
      isVertical = false
    }
    self.isVertical = isVertical
    top = members.filter { $0.key != "container" }
    var container = [
      JSONValue.Member(
        key: isVertical ? "widths" : "heights",
        value: .object([
          .init(key: "step", value: .number(step)),
          .init(key: "keep", value: .number(Double(keep))),
        ]))
    ]
    if let mainLength {
      container.append(.init(key: isVertical ? "height" : "width", value: .number(mainLength)))
    }
    top.append(.init(key: "container", value: .object(container)))
  }

  public var text: String { JSONValue.object(top).text }

  /// Returns a length rounded down to a multiple of the step, in points.
  public func rounded(_ length: Double) -> Double {
    let (units, step) = (Units.floor(points: length), Units.floor(points: step))
    return Double(units / step * step) / 64
  }

  /// The size of a variant's container, in points.
  public struct Size: Hashable, Sendable {
    public var cross: Double
    /// The length along the axis, if it differs from the definition's and a rule depends on it.
    public var main: Double?
  }

  /// Returns the size of the variant for requested lengths, of at least one step.
  public func size(cross: Double, main: Double?) -> Size {
    let rounded = rounded(cross)
    guard let main = main.map({ Double(Units.floor(points: $0)) / 64 }),
      main != ownMain ?? rounded, readsMain(at: rounded)
    else { return Size(cross: rounded, main: nil) }
    return Size(cross: rounded, main: main)
  }

  /// Returns the part of a variant's name after the `@`.
  public func suffix(of size: Size) -> String { suffix(cross: size.cross, main: size.main) }

  /// Returns the part of a request's name after the `@`.
  public func suffix(cross: Double, main: Double?) -> String {
    guard let main else { return Self.written(cross) }
    let (first, second) = isVertical ? (cross, main) : (main, cross)
    return "\(Self.written(first))x\(Self.written(second))"
  }

  /// Returns the text of the variant of a size.
  public func variant(_ size: Size) -> String {
    var members = top.filter { $0.key != "container" }
    var container = [
      JSONValue.Member(key: isVertical ? "width" : "height", value: .number(size.cross))
    ]
    if let main = size.main ?? ownMain {
      container.append(.init(key: isVertical ? "height" : "width", value: .number(main)))
    }
    members.append(.init(key: "container", value: .object(container)))
    return JSONValue.object(members).text
  }

  /// The length along the axis in the definition, if it has one.
  private var ownMain: Double? {
    guard case .number(let main)? = member("container")?.member(isVertical ? "height" : "width")
    else { return nil }
    return main
  }

  private func member(_ name: String) -> JSONValue? { JSONValue.object(top).member(name) }

  /// Whether a rule depends on the container's length along the axis: that of circles, of custom
  /// kinds, and of pages that turn.
  private func readsMain(at cross: Double) -> Bool {
    if member("effect")?.member("kind")?.string == "pageTurn" { return true }
    var kinds = [member("section")?.member("kind")?.string]
    if case .array(let breakpoints)? = member("breakpoints") {
      for breakpoint in breakpoints {
        guard case .number(let from)? = breakpoint.member("from"), from <= cross else { continue }
        // The last one applies, over the defaults.
        kinds = [breakpoint.member("kind")?.string ?? member("section")?.member("kind")?.string]
      }
    }
    for name in ["styles", "sections"] {
      guard case .object(let overrides)? = member(name) else { continue }
      kinds += overrides.map { $0.value.member("kind")?.string }
    }
    let others = ["waterfall", "flow", "grid", "justified", "carousel"]
    return kinds.contains { kind in kind.map { !others.contains($0) } ?? false }
  }

  /// Returns a length as people write it: without a fraction if it has none.
  public static func written(_ length: Double) -> String {
    Int64(exactly: length).map { "\($0)" } ?? "\(length)"
  }
}

extension JSONValue {
  fileprivate func member(_ name: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value
  }

  fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
}
