extension Length: Codable {
  /// Decodes a number of points.
  ///
  /// - Throws: `DecodingError` for a number that a length cannot represent.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let points = try container.decode(Double.self)
    guard let length = Length(points: points) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\(points) is not a length in points")
    }
    self = length
  }

  /// Encodes the length as a number of points; exact within ±2^53 units.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if units % Self.unitsPerPoint == 0 {
      try container.encode(units / Self.unitsPerPoint)
    } else {
      try container.encode(points)
    }
  }
}
