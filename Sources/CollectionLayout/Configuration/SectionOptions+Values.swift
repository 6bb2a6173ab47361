import LayoutGeometry

extension SectionOptions.Background: StrictlyDecodable {
  enum CodingKeys: String, CodingKey, CaseIterable { case kind, inset, zIndex }

  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(of: Self.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      kind: try values.decode(String.self, forKey: .kind),
      inset: try values.decodeIfPresent(StrictInsets.self, forKey: .inset)?.insets ?? .zero,
      zIndex: try values.decodeWholeNumberIfPresent(forKey: .zIndex) ?? -1)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(kind, forKey: .kind)
    try values.encode(StrictInsets(insets: inset), forKey: .inset)
    try values.encode(zIndex, forKey: .zIndex)
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
    var value = encoder.singleValueContainer()
    switch self {
    case .aspect: try value.encode("aspect")
    case .natural: try value.encode("natural")
    case .fixed(let length): try value.encode(length)
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
    var value = encoder.singleValueContainer()
    switch self {
    case .square: try value.encode("square")
    case .fixed(let length): try value.encode(length)
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
    var value = encoder.singleValueContainer()
    switch self {
    case .natural: try value.encode("natural")
    case .fixed(let size): try value.encode(StrictSize(size: size))
    }
  }
}

/// A size as it stands in JSON.
private struct StrictSize: Codable, StrictlyDecodable {
  var size: Size

  enum CodingKeys: String, CodingKey, CaseIterable { case width, height }

  init(size: Size) { self.size = size }

  init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(of: Self.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    size = Size(
      width: try values.decode(Length.self, forKey: .width),
      height: try values.decode(Length.self, forKey: .height))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(size.width, forKey: .width)
    try values.encode(size.height, forKey: .height)
  }
}

/// Insets as they stand in JSON: a side left out is 0, another member refused.
struct StrictInsets: Codable, StrictlyDecodable {
  var insets: EdgeInsets

  enum CodingKeys: String, CodingKey, CaseIterable { case top, left, bottom, right }

  init(insets: EdgeInsets) { self.insets = insets }

  init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(of: Self.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func side(_ key: CodingKeys) throws -> Length {
      try values.decodeIfPresent(Length.self, forKey: key) ?? .zero
    }
    insets = EdgeInsets(
      top: try side(.top), left: try side(.left), bottom: try side(.bottom),
      right: try side(.right))
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(insets.top, forKey: .top)
    try values.encode(insets.left, forKey: .left)
    try values.encode(insets.bottom, forKey: .bottom)
    try values.encode(insets.right, forKey: .right)
  }
}
