/// The algorithm that places a section's items, by name.
@nonexhaustive
public enum SectionKind: Hashable, Sendable {
  /// Columns, each item in the one that is shortest at its place.
  case waterfall
  /// Lines that items fill while they fit: UICollectionViewFlowLayout's.
  case flow
  /// Equal rows of as many items as there are columns.
  case grid
  /// Rows whose length makes their items fill the line: that of photo timelines.
  case justified
  /// One container-sized page, its items on a circle.
  case circle
  /// One that the library's user has registered.
  case custom(String)

  /// The kinds that are built in.
  public static let builtIn: [SectionKind] = [.waterfall, .flow, .grid, .justified, .circle]

  /// Creates the kind of a name: one that is built in, else a custom one.
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
