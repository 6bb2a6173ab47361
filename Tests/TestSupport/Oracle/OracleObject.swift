/// An object of the configuration, read member by member.
///
/// A member that is null reads as absent.
struct OracleObject {
  /// The path of the object, for errors; empty at the top.
  let path: String
  private(set) var members: [String: JSONValue] = [:]

  init(_ value: JSONValue, path: String) throws(OracleRefusal) {
    guard case .object(let members) = value else { throw OracleRefusal(.wrongType, path) }
    self.path = path
    for member in members { self.members[member.key] = member.value }
  }

  func refuseMembers(otherThan known: Set<String>) throws(OracleRefusal) {
    for key in members.keys.sorted() where !known.contains(key) {
      throw OracleRefusal(.unknownMember, subject(key))
    }
  }

  /// The object with `override`'s members replacing the same members, each as a whole. A member
  /// of a conflicting pair removes the other one.
  func overridden(by override: OracleObject, conflicts: [(String, String)]) -> OracleObject {
    var result = self
    for (one, other) in conflicts {
      if override.has(one) { result.members[other] = nil }
      if override.has(other) { result.members[one] = nil }
    }
    result.members.merge(override.members) { _, new in new }
    return result
  }

  mutating func remove(_ key: String) { members[key] = nil }

  func has(_ key: String) -> Bool { value(key) != nil }

  func subject(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func value(_ key: String) -> JSONValue? {
    if case .null? = members[key] { return nil }
    return members[key]
  }

  func object(_ key: String) throws(OracleRefusal) -> OracleObject? {
    guard let value = value(key) else { return nil }
    return try OracleObject(value, path: subject(key))
  }

  func number(_ key: String) throws(OracleRefusal) -> Double? {
    guard let value = value(key) else { return nil }
    guard case .number(let number) = value else { throw OracleRefusal(.wrongType, subject(key)) }
    return number
  }

  /// Units, rounded down; zero to the length limit.
  func length(_ key: String) throws(OracleRefusal) -> Int64? {
    guard let points = try number(key) else { return nil }
    guard points >= 0, points <= OracleLimits.lengthMax else {
      throw OracleRefusal(.outOfRange, subject(key))
    }
    return Units.floor(points: points)
  }

  /// Units, rounded down; at least one.
  func positiveLength(_ key: String) throws(OracleRefusal) -> Int64? {
    guard let length = try length(key) else { return nil }
    guard length > 0 else { throw OracleRefusal(.outOfRange, subject(key)) }
    return length
  }

  /// Units of a number of points, or of `{"fraction": f, "minus": m}`: f of the container's units
  /// across, rounded down, less m; at most the length limit.
  ///
  /// - Parameter least: The least units that a fraction may result in.
  func length(
    _ key: String, in container: OracleContainer, fractionFrom least: Int64 = 0
  ) throws(OracleRefusal) -> Int64? {
    guard case .object? = value(key), let object = try object(key) else { return try length(key) }
    try object.refuseMembers(otherThan: ["fraction", "minus"])
    guard let fraction = try object.number("fraction") else {
      throw OracleRefusal(.missingMember, object.subject("fraction"))
    }
    guard fraction > 0, fraction <= 100 else {
      throw OracleRefusal(.outOfRange, object.subject("fraction"))
    }
    // A decimal number of nine places.
    let billion: Int64 = 1_000_000_000
    let product = Int64((fraction * 1e9).rounded()).multipliedFullWidth(by: container.crossLength)
    let share = billion.dividingFullWidth(product).quotient
    let length = share - (try object.length("minus") ?? 0)
    guard length >= least else { throw OracleRefusal(.outOfRange, subject(key)) }
    return min(length, Units.floor(points: OracleLimits.lengthMax))
  }

  /// As `length(_:in:)`; at least one unit.
  func positiveLength(
    _ key: String, in container: OracleContainer
  ) throws(OracleRefusal) -> Int64? {
    guard case .object? = value(key) else { return try positiveLength(key) }
    return try length(key, in: container, fractionFrom: 1)
  }

  func wholeNumber(_ key: String) throws(OracleRefusal) -> Int? {
    guard let number = try number(key) else { return nil }
    guard let whole = Int(exactly: number) else { throw OracleRefusal(.wrongType, subject(key)) }
    return whole
  }

  func flag(_ key: String) throws(OracleRefusal) -> Bool? {
    guard let value = value(key) else { return nil }
    guard case .bool(let flag) = value else { throw OracleRefusal(.wrongType, subject(key)) }
    return flag
  }

  func string(_ key: String) throws(OracleRefusal) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let string) = value else { throw OracleRefusal(.wrongType, subject(key)) }
    return string
  }

  func choice<Choice: RawRepresentable<String>>(
    _ key: String, _: Choice.Type
  ) throws(OracleRefusal) -> Choice? {
    guard let string = try string(key) else { return nil }
    guard let choice = Choice(rawValue: string) else {
      throw OracleRefusal(.outOfRange, subject(key))
    }
    return choice
  }
}
