import LayoutGeometry

extension SectionOptions: StrictlyDecodable {
  enum CodingKeys: String, CodingKey, CaseIterable {
    case kind, columns, minimumColumnWidth, columnSpacing, lineSpacing, itemLength
    case minimumLength, maximumLength, tolerance, assignment, maximumSkew, ties
    case itemSize, lineLength, minimumInteritemSpacing, minimumLineSpacing
    case lineAlignment, crossAlignment, rowLength
    case targetRowLength, maximumRowLength, spacing, lastRow, options
    case inset, header, footer, pinsHeader, pinsFooter, background
  }

  /// Decodes the members that are there.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown member, `DecodingError` for
  ///   one of another type.
  public init(from decoder: any Decoder) throws {
    try decoder.refuseUnknownKeys(of: Self.self)
    let values = try decoder.container(keyedBy: CodingKeys.self)
    func value<T: Decodable>(_ key: CodingKeys) throws -> T? {
      try values.decodeIfPresent(T.self, forKey: key)
    }
    self.init()
    kind = try value(.kind)
    columns = try values.decodeWholeNumberIfPresent(forKey: .columns)
    minimumColumnWidth = try value(.minimumColumnWidth)
    columnSpacing = try value(.columnSpacing)
    lineSpacing = try value(.lineSpacing)
    itemLength = try value(.itemLength)
    minimumLength = try value(.minimumLength)
    maximumLength = try value(.maximumLength)
    tolerance = try value(.tolerance)
    assignment = try values.decodeChoiceIfPresent(Assignment.self, forKey: .assignment)
    maximumSkew = try value(.maximumSkew)
    ties = try values.decodeChoiceIfPresent(Ties.self, forKey: .ties)
    itemSize = try value(.itemSize)
    lineLength = try value(.lineLength)
    minimumInteritemSpacing = try value(.minimumInteritemSpacing)
    minimumLineSpacing = try value(.minimumLineSpacing)
    lineAlignment = try values.decodeChoiceIfPresent(LineAlignment.self, forKey: .lineAlignment)
    crossAlignment = try values.decodeChoiceIfPresent(
      CrossAlignment.self, forKey: .crossAlignment)
    rowLength = try value(.rowLength)
    targetRowLength = try value(.targetRowLength)
    maximumRowLength = try value(.maximumRowLength)
    spacing = try value(.spacing)
    lastRow = try values.decodeChoiceIfPresent(LastRow.self, forKey: .lastRow)
    options = try value(.options)
    inset = (try value(.inset) as StrictInsets?)?.insets
    header = try value(.header)
    footer = try value(.footer)
    pinsHeader = try value(.pinsHeader)
    pinsFooter = try value(.pinsFooter)
    background = try value(.background)
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encodeIfPresent(kind, forKey: .kind)
    try values.encodeIfPresent(columns, forKey: .columns)
    try values.encodeIfPresent(minimumColumnWidth, forKey: .minimumColumnWidth)
    try values.encodeIfPresent(columnSpacing, forKey: .columnSpacing)
    try values.encodeIfPresent(lineSpacing, forKey: .lineSpacing)
    try values.encodeIfPresent(itemLength, forKey: .itemLength)
    try values.encodeIfPresent(minimumLength, forKey: .minimumLength)
    try values.encodeIfPresent(maximumLength, forKey: .maximumLength)
    try values.encodeIfPresent(tolerance, forKey: .tolerance)
    try values.encodeIfPresent(assignment, forKey: .assignment)
    try values.encodeIfPresent(maximumSkew, forKey: .maximumSkew)
    try values.encodeIfPresent(ties, forKey: .ties)
    try values.encodeIfPresent(itemSize, forKey: .itemSize)
    try values.encodeIfPresent(lineLength, forKey: .lineLength)
    try values.encodeIfPresent(minimumInteritemSpacing, forKey: .minimumInteritemSpacing)
    try values.encodeIfPresent(minimumLineSpacing, forKey: .minimumLineSpacing)
    try values.encodeIfPresent(lineAlignment, forKey: .lineAlignment)
    try values.encodeIfPresent(crossAlignment, forKey: .crossAlignment)
    try values.encodeIfPresent(rowLength, forKey: .rowLength)
    try values.encodeIfPresent(targetRowLength, forKey: .targetRowLength)
    try values.encodeIfPresent(maximumRowLength, forKey: .maximumRowLength)
    try values.encodeIfPresent(spacing, forKey: .spacing)
    try values.encodeIfPresent(lastRow, forKey: .lastRow)
    try values.encodeIfPresent(options, forKey: .options)
    try values.encodeIfPresent(inset.map(StrictInsets.init), forKey: .inset)
    try values.encodeIfPresent(header, forKey: .header)
    try values.encodeIfPresent(footer, forKey: .footer)
    try values.encodeIfPresent(pinsHeader, forKey: .pinsHeader)
    try values.encodeIfPresent(pinsFooter, forKey: .pinsFooter)
    try values.encodeIfPresent(background, forKey: .background)
  }
}

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
private struct StrictInsets: Codable, StrictlyDecodable {
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
