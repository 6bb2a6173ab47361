import LayoutGeometry

extension SectionOptions.Background: Decodable {
  enum CodingKeys: String, CodingKey, CaseIterable { case kind, inset, zIndex }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    self.init(
      kind: try values.decode(String.self, forKey: .kind),
      inset: try values.decodeIfPresent(StrictInsets.self, forKey: .inset)?.insets ?? .zero,
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
  /// optionally, `peek`.
  public init(from decoder: any Decoder) throws {
    switch try decoder.name(
      or: NumericWidth.self, "itemWidth", ["natural", "aspect"],
      "a number, or an object with fraction and peek")
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
    }
  }
}

/// The width of a carousel's items as a number, or as an object; unknown members are rejected.
private struct NumericWidth: Decodable {
  let width: SectionOptions.ItemWidth

  enum CodingKeys: String, CodingKey, CaseIterable { case fraction, peek }

  init(from decoder: any Decoder) throws {
    // Anything other than a number must be the object.
    if (try? decoder.singleValueContainer().decode(Double.self)) != nil {
      width = .fixed(try Length(from: decoder))
      return
    }
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    width = .fraction(
      try values.decode(Double.self, forKey: .fraction),
      peek: try values.decodeIfPresent(Length.self, forKey: .peek) ?? .zero)
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
      or: StrictSize.self, "itemSize", ["natural"], "an object with width and height")
    {
    case .name: self = .natural
    case .value(let size): self = .fixed(size.size)
    }
  }

  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .natural: try "natural".encode(to: encoder)
    case .fixed(let size): try size.encode(to: encoder)
    }
  }
}

/// A size in JSON; unknown members are rejected.
private struct StrictSize: Decodable {
  let size: Size

  private enum CodingKeys: String, CodingKey, CaseIterable { case width, height }

  init(from decoder: any Decoder) throws {
    _ = try decoder.strictContainer(keyedBy: CodingKeys.self)
    size = try Size(from: decoder)
  }
}

/// Insets in JSON: a missing side is 0, an unknown member is rejected.
struct StrictInsets: Decodable {
  let insets: EdgeInsets

  private enum CodingKeys: String, CodingKey, CaseIterable { case top, left, bottom, right }

  init(from decoder: any Decoder) throws {
    let values = try decoder.strictContainer(keyedBy: CodingKeys.self)
    func side(_ key: CodingKeys) throws -> Length {
      try values.decodeIfPresent(Length.self, forKey: key) ?? .zero
    }
    insets = EdgeInsets(
      top: try side(.top), left: try side(.left), bottom: try side(.bottom),
      right: try side(.right))
  }
}
