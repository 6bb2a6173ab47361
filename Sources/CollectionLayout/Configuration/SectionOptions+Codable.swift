extension SectionOptions: Codable {
  /// Decodes the members that are present.
  ///
  /// - Throws: ``ConfigurationError`` for an unknown member, `DecodingError` for one of another
  ///   type.
  public init(from decoder: any Decoder) throws {
    try self.init(from: decoder, besides: nil)
  }

  /// Decodes the members that are present in an object with another member.
  init(from decoder: any Decoder, besides other: String?) throws {
    let values = try decoder.container(keyedBy: AnyKey.self)
    let names = values.allKeys.map(\.stringValue).filter { $0 != other }
    if let unknown = names.filter({ SectionMember.places[$0] == nil }).min() {
      throw ConfigurationError(
        .unknownKey(unknown, known: (other.map { [$0] } ?? []) + SectionMember.all.map(\.name)),
        at: decoder.codingPath.map(\.name))
    }
    self.init()
    // In the table's order, so that of several errors always the same one is thrown.
    for place in names.compactMap({ SectionMember.places[$0] }).sorted() {
      try SectionMember.all[place].decode(values, &self)
    }
  }

  /// Encodes the members that are not `nil`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: AnyKey.self)
    for member in SectionMember.all { try member.encode(self, &values) }
  }
}

extension SectionOptions {
  /// Returns the options with `nil` members taken from `defaults`, unless an excluding member
  /// is set.
  func filled(from defaults: SectionOptions) -> SectionOptions {
    let stated = SectionMember.all.filter { $0.isStated(self) }
    var filled = defaults
    for member in stated { member.displace(&filled) }
    for member in stated { member.copy(self, &filled) }
    return filled
  }
}
