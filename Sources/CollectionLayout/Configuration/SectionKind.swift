/// The algorithm that places a section's items, by name.
@nonexhaustive
public enum SectionKind: Hashable, Sendable {
  /// Columns; each item is placed in the shortest one.
  case waterfall
  /// Lines filled with the items that fit, as in UICollectionViewFlowLayout.
  case flow
  /// Equal rows with one item per column.
  case grid
  /// Rows whose length makes their items fill the line, as in photo timelines.
  case justified
  /// One line across the scrolling axis, which scrolls independently.
  case carousel
  /// One container-sized page, with its items on a circle.
  case circle
  /// A kind that the library's user has registered.
  case custom(String)

  /// The built-in kinds.
  public static let builtIn: [SectionKind] = [
    .waterfall, .flow, .grid, .justified, .carousel, .circle,
  ]

  /// Creates the kind with a name: a built-in one, else a custom one.
  public init(name: String) {
    self = Self.builtIn.first { $0.name == name } ?? .custom(name)
  }

  /// The name in configurations.
  public var name: String {
    switch self {
    case .waterfall: "waterfall"
    case .flow: "flow"
    case .grid: "grid"
    case .justified: "justified"
    case .carousel: "carousel"
    case .circle: "circle"
    case .custom(let name): name
    }
  }
}

extension SectionKind: Codable {
  /// Decodes the kind's name.
  public init(from decoder: any Decoder) throws {
    self.init(name: try String(from: decoder))
  }

  /// Encodes the kind's name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}
