import JSONText
import LayoutCache
import LayoutGeometry

/// An object of a batch: an operation, or an item of one. Its members are found and
/// not yet read.
///
/// Only what a line's first pass over the text has accepted is looked at again, member
/// by member, so that neither the depth of a value nor its length ever matters to the
/// call stack.
struct BatchObject {
  private typealias Member = (name: JSONToken, value: JSONToken)

  private let record: TextRecord
  private let members: [Member]
  /// The operation's number in the batch, from 1.
  let number: Int
  /// Where the object is in the line, with a full stop: `items[3].`; empty for the line's own.
  private let path: String

  /// The object that a line consists of.
  ///
  /// - Throws: `malformedJSON`, `notAnObject`.
  init(_ line: TextRecord, number: Int) throws(RecordProblem) {
    var members: [Member] = []
    try line.forEachMember { members.append(($0, $1)) }
    self.record = line
    self.members = members
    self.number = number
    path = ""
  }

  /// An object within a line.
  private init(accepted object: TextRecord, number: Int, path: String) {
    record = object
    members = Self.values(inAccepted: object)
    self.number = number
    self.path = path
  }

  /// The values in an object or array of an accepted line, with the members' names.
  private static func values(inAccepted container: TextRecord) -> [Member] {
    var values: [Member] = []
    var scanner = JSONScanner(container.bytes)
    do {
      try scanner.takeContainer { values.append(($0, $1)) }
    } catch {
      preconditionFailure("what an accepted line holds is accepted")
    }
    return values
  }

  // MARK: - Members

  func has(_ name: String) -> Bool { value(name).kind != .absent }

  /// Whether a member is null.
  func isNull(_ name: String) -> Bool { value(name).kind == .null }

  /// Checks that the object has no members but some, and none of them twice.
  ///
  /// - Parameters:
  ///   - allowed: The names that there may be.
  ///   - owner: What has these members: `an item`, `insert`.
  /// - Throws: `unknownMember`, `duplicateMember`, for the first such member.
  /// - Complexity: Looks at no more than one member beyond the number of those allowed.
  func requireMembers(_ allowed: [String], of owner: String) throws(RecordProblem) {
    for (index, member) in members.enumerated() {
      let name = member.name.text(in: record)
      guard allowed.contains(where: { member.name.spells($0.utf8, in: record) }) else {
        throw record.problem(
          .unknownMember, field: field(name),
          clauses(
            """
            "\(excerpt(field(name)))" is no member of \(owner), which has \
            \(allowed.joined(separator: ", "))
            """, didYouMean(name, among: allowed)))
      }
      if members[..<index].contains(where: { $0.name.spells(name.utf8, in: record) }) {
        throw record.problem(.duplicateMember, of: field(name))
      }
    }
  }

  private func value(_ name: String) -> JSONToken {
    members.first { $0.name.spells(name.utf8, in: record) }?.value ?? JSONToken()
  }

  /// The name of a member in problems.
  private func field(_ name: String) -> String { path + name }

  /// A problem of a member with its own sentence.
  func problem(
    _ code: RecordProblem.Code, _ name: String, _ message: String
  ) -> RecordProblem {
    record.problem(code, field: field(name), message)
  }

  // MARK: - Values

  func string(_ name: String) throws(RecordProblem) -> String {
    try value(name).string(field(name), in: record)
  }

  /// The text of a key, which may be written as a whole number.
  func key(_ name: String) throws(RecordProblem) -> String {
    try value(name).key(field(name), in: record)
  }

  func double(_ name: String) throws(RecordProblem) -> Double {
    try value(name).double(field(name), in: record)
  }

  /// A number; nil where it is null.
  func doubleOrNull(_ name: String) throws(RecordProblem) -> Double? {
    value(name).kind == .null ? nil : try double(name)
  }

  func integer(_ name: String) throws(RecordProblem) -> Int {
    try value(name).integer(field(name), in: record)
  }

  /// A whole number; nil where there is none.
  func optionalInteger(_ name: String) throws(RecordProblem) -> Int? {
    has(name) ? try integer(name) : nil
  }

  /// A column span; nil where there is none or it is null, as in item records.
  func optionalSpan() throws(RecordProblem) -> Int? {
    value("span").isNothing ? nil : try integer("span")
  }

  /// Whether a member is `true`; `false` where there is none.
  func optionalFlag(_ name: String) throws(RecordProblem) -> Bool {
    guard has(name) else { return false }
    let text = try value(name).content(.boolean, orElse: .notABoolean, field(name), in: record)
    return text.first == UInt8(ascii: "t")
  }

  /// The JSON text of an object; nil where it is null.
  func objectOrNull(_ name: String) throws(RecordProblem) -> String? {
    let value = value(name)
    if value.kind == .null { return nil }
    let object = try value.content(.object, orElse: .notAnObject, field(name), in: record)
    return String(decoding: object, as: UTF8.self)
  }

  // MARK: - Arrays

  func keys(_ name: String) throws(RecordProblem) -> [String] {
    let (array, elements) = try elements(name)
    var keys: [String] = []
    keys.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      keys.append(try element.value.key("\(field(name))[\(index)]", in: array))
    }
    return keys
  }

  /// Calls `body` with each object of a member's array, such as `items`.
  func forEachObject(
    of name: String, _ body: (BatchObject) throws(RecordProblem) -> Void
  ) throws(RecordProblem) {
    let (array, elements) = try elements(name)
    for (index, element) in elements.enumerated() {
      let path = "\(field(name))[\(index)]"
      let bytes = try element.value.content(.object, orElse: .notAnObject, path, in: array)
      let object = TextRecord(bytes: bytes, line: record.line)
      try body(BatchObject(accepted: object, number: number, path: path + "."))
    }
  }

  /// An array within a member's array, such as an entry of `lengths`.
  struct Entry {
    /// Its name in problems: `lengths[3]`.
    let field: String
    private let record: TextRecord
    private let values: [Member]

    fileprivate init(_ field: String, accepted array: TextRecord) {
      (self.field, record) = (field, array)
      values = BatchObject.values(inAccepted: array)
    }

    /// How many values it has.
    var count: Int { values.count }

    func key(_ index: Int) throws(RecordProblem) -> String {
      try values[index].value.key("\(field)[\(index)]", in: record)
    }

    func doubleOrNull(_ index: Int) throws(RecordProblem) -> Double? {
      let value = values[index].value
      return value.kind == .null ? nil : try value.double("\(field)[\(index)]", in: record)
    }

    func problem(_ code: RecordProblem.Code, _ message: String) -> RecordProblem {
      record.problem(code, field: field, message)
    }
  }

  /// Calls `body` with each array in a member's array.
  func forEachArray(
    _ name: String, _ body: (Entry) throws(RecordProblem) -> Void
  ) throws(RecordProblem) {
    let (array, elements) = try elements(name)
    for (index, element) in elements.enumerated() {
      let field = "\(field(name))[\(index)]"
      let bytes = try element.value.content(.array, orElse: .notAnArray, field, in: array)
      try body(Entry(field, accepted: TextRecord(bytes: bytes, line: record.line)))
    }
  }

  /// The elements of a member, as parts of its bytes.
  private func elements(
    _ name: String
  ) throws(RecordProblem) -> (array: TextRecord, elements: [Member]) {
    let bytes = try value(name).content(.array, orElse: .notAnArray, field(name), in: record)
    let array = TextRecord(bytes: bytes, line: record.line)
    return (array, Self.values(inAccepted: array))
  }
}
