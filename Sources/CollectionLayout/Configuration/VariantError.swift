public import LayoutGeometry

/// The reason why a name does not name a layout, or variant of a layout, that can be used there.
public enum VariantError: Error, Hashable, Sendable {
  /// The layout fits any width, and the call needs one.
  case sizeMissing
  /// The text after the `@` is not a size.
  case malformed
  /// The width or height is out of range; the width after rounding.
  case outOfRange(LimitError)
  /// The layout's options do not fit the width.
  case configuration(ConfigurationError)
  /// The name of a new layout contains `@`, or the name of an existing variant cannot be given to
  /// a layout.
  case reserved
}

extension VariantError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .sizeMissing: "it fits any width; add one to its name, for example NAME@390"
    case .malformed: "expected NAME@WIDTH or NAME@WIDTHxHEIGHT, in points"
    case .outOfRange(let error): error.description
    case .configuration(let error): error.description
    case .reserved: "'@' in a name separates a layout from a width; use another name"
    }
  }
}
