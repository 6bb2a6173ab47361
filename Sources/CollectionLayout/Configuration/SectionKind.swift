/// The algorithm that places a section's items, by name.
public enum SectionKind: Hashable, Sendable {
  case waterfall
  case flow
  case grid
  case justified
  case circle
  /// One that the library's user has registered.
  case custom(String)

  /// The kinds that are built in.
  public static let builtIn: [SectionKind] = [.waterfall, .flow, .grid, .justified, .circle]

  public init(name: String) {
    self = Self.builtIn.first { $0.name == name } ?? .custom(name)
  }

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
  public init(from decoder: any Decoder) throws {
    self.init(name: try decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(name)
  }
}
