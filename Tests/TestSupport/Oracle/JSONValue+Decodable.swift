extension JSONValue: Decodable {
  private struct MemberKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Members of objects come in no particular order.
  init(from decoder: any Decoder) throws {
    // A failed attempt only says that the value is of another type; the last
    // attempt's error is thrown.
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? single.decode(Double.self) {
      self = .number(value)
    } else if let value = try? single.decode(String.self) {
      self = .string(value)
    } else if let value = try? single.decode([JSONValue].self) {
      self = .array(value)
    } else {
      let container = try decoder.container(keyedBy: MemberKey.self)
      self = .object(
        try container.allKeys.map { key in
          Member(
            key: key.stringValue, value: try container.decode(JSONValue.self, forKey: key))
        })
    }
  }
}
