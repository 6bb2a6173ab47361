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
      case .object(let members)? = try? JSONDecoder().decode(
        JSONValue.self, from: Data(text.utf8))
    else { preconditionFailure("not a configuration: \(text)") }
    self.step = step
    self.keep = keep
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

  /// Returns the text of the variant for a length across, given that no option depends on the
  /// length along.
  public func variant(_ length: Double) -> String {
    var members = top.filter { $0.key != "container" }
    var container = [
      JSONValue.Member(key: isVertical ? "width" : "height", value: .number(rounded(length)))
    ]
    if case .object(let own)? = top.first(where: { $0.key == "container" })?.value {
      container += own.filter { $0.key == "width" || $0.key == "height" }
    }
    members.append(.init(key: "container", value: .object(container)))
    return JSONValue.object(members).text
  }

  /// Returns a length as people write it: without a fraction if it has none.
  public static func written(_ length: Double) -> String {
    Int64(exactly: length).map { "\($0)" } ?? "\(length)"
  }
}
