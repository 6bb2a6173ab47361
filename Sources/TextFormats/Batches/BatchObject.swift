/// An object of a batch: an operation, or an item of one. Its members are found and
/// not yet read.
///
/// Only what a line's first pass over the text has accepted is looked at again, member
/// by member, so that neither the depth of a value nor its length ever matters to the
/// call stack.
struct BatchObject {
  private let bytes: UnsafeRawBufferPointer
  private var members: [(name: JSONToken, value: JSONToken)] = []
  private let line: Int
  /// The operation's number in the batch, from 1.
  let number: Int
  /// The object's index in the line's `items`; nil for the line's own object.
  private let itemIndex: Int?

  /// The object that a line consists of.
  ///
  /// - Throws: `malformedJSON`, `notAnObject`.
  init(_ bytes: UnsafeRawBufferPointer, line: Int, number: Int) throws(RecordProblem) {
    self.bytes = bytes
    self.line = line
    self.number = number
    itemIndex = nil
    var members: [(name: JSONToken, value: JSONToken)] = []
    try takeLineObject(in: bytes, line: line) { members.append(($0, $1)) }
    self.members = members
  }

  /// An object within a line.
  private init(
    accepted bytes: UnsafeRawBufferPointer, line: Int, number: Int, itemIndex: Int
  ) {
    self.bytes = bytes
    self.line = line
    self.number = number
    self.itemIndex = itemIndex
    members.reserveCapacity(4)
    var scanner = JSONScanner(bytes)
    do {
      try scanner.takeObject { members.append(($0, $1)) }
    } catch {
      preconditionFailure("an object of an accepted line is accepted")
    }
  }

  // MARK: - Members

  func has(_ name: String) -> Bool { value(name).kind != .absent }

  /// Checks that the object has no members but some, and none of them twice.
  ///
  /// - Parameters:
  ///   - allowed: The names that there may be.
  ///   - owner: What has these members: `an item`, `insert`.
  /// - Throws: `unknownMember`, `duplicateMember`, for the first such member.
  /// - Complexity: Looks at no more than one member beyond the number of those allowed.
  func requireMembers(_ allowed: [String], of owner: String) throws(RecordProblem) {
    for (index, member) in members.enumerated() {
      guard allowed.contains(where: { isNamed(member.name, $0) }) else {
        throw .unknownMember(field(member.name), allowed: allowed, of: owner, line: line)
      }
      let name = member.name.text(in: bytes)
      if members[..<index].contains(where: { isNamed($0.name, name) }) {
        throw .duplicateMember(field(member.name), line: line)
      }
    }
  }

  private func value(_ name: String) -> JSONToken {
    members.first { isNamed($0.name, name) }?.value ?? JSONToken()
  }

  /// Byte for byte, where `==` on strings would equate canonical equivalents.
  private func isNamed(_ member: JSONToken, _ name: String) -> Bool {
    member.hasEscapes
      ? member.text(in: bytes).utf8.elementsEqual(name.utf8)
      : member.content(in: bytes).elementsEqual(name.utf8)
  }

  /// What a member is called in problems.
  private func field(_ name: String) -> String {
    itemIndex.map { "items[\($0)].\(name)" } ?? name
  }

  private func field(_ name: JSONToken) -> String { field(name.text(in: bytes)) }

  // MARK: - Values

  func string(_ name: String) throws(RecordProblem) -> String {
    try value(name).string(field(name), in: bytes, line: line)
  }

  func double(_ name: String) throws(RecordProblem) -> Double {
    try value(name).double(field(name), in: bytes, line: line)
  }

  /// A number; nil where it is null.
  func doubleOrNull(_ name: String) throws(RecordProblem) -> Double? {
    if value(name).kind == .null { return nil }
    return try double(name)
  }

  func integer(_ name: String) throws(RecordProblem) -> Int {
    try value(name).integer(field(name), in: bytes, line: line)
  }

  /// A whole number; nil where there is none.
  func optionalInteger(_ name: String) throws(RecordProblem) -> Int? {
    guard has(name) else { return nil }
    return try integer(name)
  }

  /// A column span; nil where there is none or it is null, as in item records.
  func optionalSpan() throws(RecordProblem) -> Int? {
    if value("span").kind == .null { return nil }
    return try optionalInteger("span")
  }

  /// Whether a member is `true`; `false` where there is none.
  func optionalFlag(_ name: String) throws(RecordProblem) -> Bool {
    let value = value(name)
    if value.kind == .absent { return false }
    let content = value.content(in: bytes)
    guard value.kind == .boolean else {
      throw .notABoolean(field(name), content, line: line)
    }
    return content.first == UInt8(ascii: "t")
  }

  // MARK: - Arrays

  func strings(_ name: String) throws(RecordProblem) -> [String] {
    let (content, elements) = try elements(name)
    var strings: [String] = []
    strings.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      strings.append(try element.string("\(field(name))[\(index)]", in: content, line: line))
    }
    return strings
  }

  /// The strings of a member; none where there is no such member.
  func optionalStrings(_ name: String) throws(RecordProblem) -> [String] {
    guard has(name) else { return [] }
    return try strings(name)
  }

  /// Calls `body` with each object of `items`.
  func forEachItem(
    _ body: (BatchObject) throws(RecordProblem) -> Void
  ) throws(RecordProblem) {
    let (content, elements) = try elements("items")
    for (index, element) in elements.enumerated() {
      let bytes = element.content(in: content)
      guard element.kind == .object else {
        throw .notAnObject("items[\(index)]", bytes, line: line)
      }
      try body(
        BatchObject(accepted: bytes, line: line, number: number, itemIndex: index))
    }
  }

  /// The elements of a member, as parts of its bytes.
  private func elements(
    _ name: String
  ) throws(RecordProblem) -> (content: UnsafeRawBufferPointer, [JSONToken]) {
    let value = value(name)
    let content = value.content(in: bytes)
    guard value.kind == .array else {
      if value.kind == .absent { throw .missing(field(name), line: line) }
      throw .notAnArray(field(name), content, line: line)
    }
    var elements: [JSONToken] = []
    var scanner = JSONScanner(content)
    do {
      try scanner.takeArray { elements.append($0) }
    } catch {
      preconditionFailure("an array of an accepted line is accepted")
    }
    return (content, elements)
  }
}

// MARK: - Problems

extension BatchObject {
  /// A problem of a member that is there.
  func problem(
    _ code: RecordProblem.Code, _ name: String, _ message: String
  ) -> RecordProblem {
    RecordProblem(line: line, code: code, field: field(name), message: message)
  }
}
