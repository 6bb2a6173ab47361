import JSONText
import LayoutCache
import LayoutGeometry

/// An object of a batch: an operation, or an item of one. Its members are located but not yet
/// decoded.
///
/// Only text accepted by the first pass over a line is read again, member by member, so that
/// neither the depth of a value nor its length affects the call stack.
struct BatchObject {
  private typealias Member = (name: JSONToken, value: JSONToken)

  private let record: TextRecord
  private let members: [Member]
  /// The operation's number in the batch, from 1.
  let number: Int
  /// The path of the object in the line, with a full stop: `items[3].`; empty for the line's
  /// object.
  private let path: String

  /// Creates the object of a line.
  ///
  /// - Throws: `malformedJSON`, `notAnObject`.
  init(_ line: TextRecord, number: Int) throws(RecordProblem) {
    var members: [Member] = []
    try line.forEachMember { members.append(($0, $1)) }
    (self.record, self.members, self.number) = (line, members, number)
    path = ""
  }

  /// Returns what `read` takes from the object that is the whole body of a request.
  ///
  /// - Parameter body: Strict JSON (RFC 8259).
  /// - Throws: As ``init(_:number:)``; the errors of `read`.
  static func reading<R>(_ body: String, _ read: (BatchObject) throws -> R) throws -> R {
    var body = body
    return try body.withUTF8 { utf8 in
      let record = TextRecord(bytes: UnsafeRawBufferPointer(utf8), line: 1, isBody: true)
      return try read(BatchObject(record, number: 1))
    }
  }

  /// Creates an object nested in a line.
  private init(accepted object: TextRecord, number: Int, path: String) {
    record = object
    members = Self.values(inAccepted: object)
    (self.number, self.path) = (number, path)
  }

  /// Returns the values in an object or array of an accepted line, with the members' names.
  private static func values(inAccepted container: TextRecord) -> [Member] {
    var values: [Member] = []
    var scanner = JSONScanner(container.bytes)
    do {
      try scanner.takeContainer { values.append(($0, $1)) }
    } catch {
      preconditionFailure("a parsed line is valid")
    }
    return values
  }

  // MARK: - Members

  func has(_ name: String) -> Bool { value(name).kind != .absent }

  /// Returns whether a member is null.
  func isNull(_ name: String) -> Bool { value(name).kind == .null }

  /// Checks that the object has only allowed members, and no duplicates.
  ///
  /// - Parameters:
  ///   - allowed: The allowed names.
  ///   - owner: The noun for the object in messages: `an item`, `insert`.
  /// - Throws: `unknownMember`, `duplicateMember`, for the first such member.
  /// - Complexity: Reads at most one member more than the number of those allowed.
  func requireMembers(_ allowed: [String], of owner: String) throws(RecordProblem) {
    for (index, member) in members.enumerated() {
      let name = member.name.text(in: record)
      guard allowed.contains(where: { member.name.spells($0.utf8, in: record) }) else {
        throw record.problem(
          .unknownMember, field: field(name),
          clauses(
            """
            "\(excerpt(field(name)))" is not a member of \(owner), which has \
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

  /// Returns the name of a member for messages.
  private func field(_ name: String) -> String { path + name }

  /// Returns a problem of a member with a complete message.
  func problem(
    _ code: RecordProblem.Code, _ name: String, _ message: String
  ) -> RecordProblem {
    record.problem(code, field: field(name), message)
  }

  // MARK: - Values

  func string(_ name: String) throws(RecordProblem) -> String {
    try value(name).string(field(name), in: record)
  }

  /// Returns the text of a key, which may be written as an integer.
  func key(_ name: String) throws(RecordProblem) -> String {
    try value(name).key(field(name), in: record)
  }

  func double(_ name: String) throws(RecordProblem) -> Double {
    try value(name).double(field(name), in: record)
  }

  /// Returns a number; `nil` for null.
  func doubleOrNull(_ name: String) throws(RecordProblem) -> Double? {
    value(name).kind == .null ? nil : try double(name)
  }

  func integer(_ name: String) throws(RecordProblem) -> Int {
    try value(name).integer(field(name), in: record)
  }

  /// Returns an integer; `nil` if absent.
  func optionalInteger(_ name: String) throws(RecordProblem) -> Int? {
    has(name) ? try integer(name) : nil
  }

  /// Returns a column span; `nil` if absent or null, as in item records.
  func optionalSpan() throws(RecordProblem) -> Int? {
    value("span").isNothing ? nil : try integer("span")
  }

  /// Returns whether layouts show an item; `nil` if absent or null.
  func optionalVisibility() throws(RecordProblem) -> ItemVisibility? {
    value("hidden").isNothing ? nil : try visibility()
  }

  func visibility() throws(RecordProblem) -> ItemVisibility {
    try value("hidden").visibility(field("hidden"), in: record)
  }

  /// Returns whether a member is `true`; `false` if absent.
  func optionalFlag(_ name: String) throws(RecordProblem) -> Bool {
    guard has(name) else { return false }
    let text = try value(name).content(.boolean, orElse: .notABoolean, field(name), in: record)
    return text.first == UInt8(ascii: "t")
  }

  /// Returns the JSON text of an object.
  func object(_ name: String) throws(RecordProblem) -> String {
    let object = try value(name).content(.object, orElse: .notAnObject, field(name), in: record)
    return String(decoding: object, as: UTF8.self)
  }

  /// Returns the JSON text of an object; `nil` for null.
  func objectOrNull(_ name: String) throws(RecordProblem) -> String? {
    isNull(name) ? nil : try object(name)
  }

  /// Returns a member that is an object.
  func nested(_ name: String) throws(RecordProblem) -> BatchObject {
    let bytes = try value(name).content(.object, orElse: .notAnObject, field(name), in: record)
    return BatchObject(
      accepted: TextRecord(bytes: bytes, line: record.line), number: number,
      path: field(name) + ".")
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
  ///
  /// - Parameter areOperations: Whether each is an operation, to be named by its number.
  func forEachObject(
    of name: String, areOperations: Bool = false,
    _ body: (BatchObject) throws(RecordProblem) -> Void
  ) throws(RecordProblem) {
    let (array, elements) = try elements(name)
    for (index, element) in elements.enumerated() {
      let path = "\(field(name))[\(index)]"
      let bytes = try element.value.content(.object, orElse: .notAnObject, path, in: array)
      let object = TextRecord(bytes: bytes, line: record.line)
      try body(
        BatchObject(
          accepted: object, number: areOperations ? index + 1 : number, path: path + "."))
    }
  }

  /// An array within a member's array, such as an entry of `lengths`.
  struct Entry {
    /// The name in messages: `lengths[3]`.
    let field: String
    private let record: TextRecord
    private let values: [Member]

    fileprivate init(_ field: String, accepted array: TextRecord) {
      (self.field, record) = (field, array)
      values = BatchObject.values(inAccepted: array)
    }

    /// The number of values.
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

  /// Returns the elements of a member's array, as parts of its bytes.
  private func elements(
    _ name: String
  ) throws(RecordProblem) -> (array: TextRecord, elements: [Member]) {
    let bytes = try value(name).content(.array, orElse: .notAnArray, field(name), in: record)
    let array = TextRecord(bytes: bytes, line: record.line)
    return (array, Self.values(inAccepted: array))
  }
}
