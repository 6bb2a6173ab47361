import LayoutGeometry

extension SectionOptions.Background: Decodable {
  enum CodingKeys: String, CodingKey, CaseIterable { case kind, inset, zIndex }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    self.init(
      kind: try values.decode(String.self, forKey: .kind),
      inset: try values.decodeIfPresent(ContainerInsets.self, forKey: .inset) ?? .zero,
      zIndex: try values.decodeWholeNumberIfPresent(forKey: .zIndex) ?? -1)
  }
}

extension SectionOptions.ItemLength: Codable {
  /// Decodes `"aspect"`, `"natural"` or a number of points.
  public init(from decoder: any Decoder) throws {
    switch try decoder.name(or: Length.self, "itemLength", ["aspect", "natural"], "a number") {
    case .name("aspect"): self = .aspect
    case .name: self = .natural
    case .value(let length): self = .fixed(length)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .aspect: try "aspect".encode(to: encoder)
    case .natural: try "natural".encode(to: encoder)
    case .fixed(let length): try length.encode(to: encoder)
    }
  }
}

extension SectionOptions.ItemWidth: Codable {
  /// Decodes `"natural"`, `"aspect"`, a number of points, or an object with `fraction` and,
  /// optionally, `peek` or `minus`.
  public init(from decoder: any Decoder) throws {
    switch try decoder.name(
      or: NumericWidth.self, "itemWidth", ["natural", "aspect"],
      "a number, or an object with fraction and peek or minus")
    {
    case .name("aspect"): self = .aspect
    case .name: self = .natural
    case .value(let value): self = value.width
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .natural: try "natural".encode(to: encoder)
    case .aspect: try "aspect".encode(to: encoder)
    case .fixed(let width): try width.encode(to: encoder)
    case .fraction(let fraction, let peek):
      var values = encoder.container(keyedBy: NumericWidth.CodingKeys.self)
      try values.encode(fraction, forKey: .fraction)
      try values.encode(peek, forKey: .peek)
    case .containerFraction(let fraction, let minus):
      try ContainerLength.fraction(fraction, minus: minus).encode(to: encoder)
    }
  }
}

/// The width of a carousel's items as a number, or as an object; unknown members are rejected.
private struct NumericWidth: Decodable {
  let width: SectionOptions.ItemWidth

  enum CodingKeys: String, CodingKey, CaseIterable { case fraction, peek, minus }

  init(from decoder: any Decoder) throws {
    // Anything other than a number must be the object.
    if (try? decoder.singleValueContainer().decode(Double.self)) != nil {
      width = .fixed(try Length(from: decoder))
      return
    }
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    let fraction = try values.decode(Double.self, forKey: .fraction)
    let peek = try values.decodeIfPresent(Length.self, forKey: .peek)
    if let minus = try values.decodeIfPresent(Length.self, forKey: .minus) {
      if peek != nil {
        throw ConfigurationError(
          .conflict("peek", "minus"), at: decoder.codingPath.map(\.stringValue))
      }
      width = .containerFraction(fraction, minus: minus)
    } else {
      width = .fraction(fraction, peek: peek ?? .zero)
    }
  }
}

extension SectionOptions.RowLength: Codable {
  /// Decodes `"square"` or a number of points.
  public init(from decoder: any Decoder) throws {
    switch try decoder.name(or: Length.self, "rowLength", ["square"], "a number") {
    case .name: self = .square
    case .value(let length): self = .fixed(length)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .square: try "square".encode(to: encoder)
    case .fixed(let length): try length.encode(to: encoder)
    }
  }
}

extension SectionOptions.ItemSize: Codable {
  /// Decodes `"natural"` or an object with `width` and `height`.
  public init(from decoder: any Decoder) throws {
    switch try decoder.name(
      or: GivenSize.self, "itemSize", ["natural"], "an object with width and height")
    {
    case .name: self = .natural
    case .value(let size): self = size.size
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .natural: try "natural".encode(to: encoder)
    case .fixed(let size): try size.encode(to: encoder)
    case .relative(let width, let height):
      var values = encoder.container(keyedBy: GivenSize.CodingKeys.self)
      try values.encode(width, forKey: .width)
      try values.encode(height, forKey: .height)
    }
  }
}

/// A size in JSON; unknown members are rejected.
private struct GivenSize: Decodable {
  let size: SectionOptions.ItemSize

  enum CodingKeys: String, CodingKey, CaseIterable { case width, height }

  init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    let width = try values.decode(ContainerLength.self, forKey: .width)
    let height = try values.decode(ContainerLength.self, forKey: .height)
    if case (.fixed(let width), .fixed(let height)) = (width, height) {
      size = .fixed(Size(width: width, height: height))
    } else {
      size = .relative(width: width, height: height)
    }
  }
}
