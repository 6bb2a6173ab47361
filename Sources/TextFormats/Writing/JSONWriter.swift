/// Builds one JSON text.
///
/// The writer inserts commas and colons; there is no space between tokens. The calls must form
/// a JSON text: inside an object, a value follows each ``member(_:)``. Anything else is a
/// programming error and traps. Member names are not checked for duplicates.
///
/// ```swift
/// var json = JSONWriter()
/// json.beginObject()
/// json.member("x", 12.5)
/// json.member("columns")
/// json.beginArray()
/// json.value(1)
/// json.value(2)
/// json.endArray()
/// json.endObject()
/// // {"x":12.5,"columns":[1,2]}
/// ```
package struct JSONWriter: Sendable {
  /// The text so far, as UTF-8, without the bytes already taken.
  package private(set) var bytes: [UInt8] = []
  /// The number of bytes above which arrays end early: after their last element that fits, but not
  /// before their first one.
  package var bytesMax = Int.max
  /// Whether an array has ended early.
  package internal(set) var isCut = false
  /// Whether bytes have been taken.
  private var isUnderWay = false
  /// The closing bracket of each open container, the innermost last.
  private var containers: [UInt8] = []
  private var needsComma = false
  private var awaitsMemberValue = false

  /// Creates a writer with no text.
  ///
  /// - Parameter capacity: The expected number of bytes.
  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  /// Whether the text is one whole JSON value.
  package var isComplete: Bool { containers.isEmpty && !isEmpty }

  private var isEmpty: Bool { bytes.isEmpty && !isUnderWay }

  /// Removes and returns the text so far, so that a long text can be sent while it is written.
  package mutating func takeBytes() -> [UInt8] {
    isUnderWay = !isEmpty
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  /// Returns a JSON text, or another one if that has more than `bytesMax` bytes.
  package static func bytes(
    upTo bytesMax: Int, _ write: (inout JSONWriter) -> Void,
    else replace: (inout JSONWriter) -> Void
  ) -> [UInt8] {
    var json = JSONWriter()
    json.bytesMax = bytesMax
    write(&json)
    if json.bytes.count <= bytesMax, !json.isCut { return json.bytes }
    json = JSONWriter()
    replace(&json)
    return json.bytes
  }

  // MARK: - Containers

  /// Starts an object.
  package mutating func beginObject() { begin("{", "}") }

  /// Ends the innermost container, which must be an object.
  package mutating func endObject() { end("}") }

  /// Starts an array.
  package mutating func beginArray() { begin("[", "]") }

  /// Ends the innermost container, which must be an array.
  package mutating func endArray() { end("]") }

  /// Starts a member of an object; its value must follow.
  package mutating func member(_ name: String) {
    precondition(containers.last == UInt8(ascii: "}"), "a member belongs to an object")
    precondition(!awaitsMemberValue, "a member has a value")
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    appendJSONString(name, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    awaitsMemberValue = true
  }

  /// Appends a member with a string.
  package mutating func member(_ name: String, _ text: String) {
    member(name)
    value(text)
  }

  /// Appends a member with a number.
  ///
  /// - Precondition: The number is finite.
  package mutating func member(_ name: String, _ number: Double) {
    member(name)
    value(number)
  }

  /// Appends a member with an integer.
  package mutating func member(_ name: String, _ number: Int) {
    member(name)
    value(number)
  }

  /// Appends a member that is `true` or `false`.
  package mutating func member(_ name: String, _ isTrue: Bool) {
    member(name)
    value(isTrue)
  }

  /// Appends an array with one value per element, as far as ``bytesMax`` allows.
  ///
  /// - Returns: The number of elements in the array.
  @discardableResult
  package mutating func array<Elements: Sequence>(
    of elements: Elements, _ append: (inout JSONWriter, Elements.Element) throws -> Void
  ) rethrows -> Int {
    beginArray()
    var count = 0
    for element in elements {
      let (end, isFirst) = (bytes.count, !needsComma)
      try append(&self, element)
      if bytes.count > bytesMax { isCut = true }
      if isCut && !isFirst {
        bytes.removeSubrange(end...)
        break
      }
      count += 1
    }
    endArray()
    return count
  }

  // MARK: - Values

  /// Appends a string.
  package mutating func value(_ text: String) {
    beginValue()
    appendJSONString(text, to: &bytes)
  }

  /// Appends a number as the shortest decimal that reads back as the same double:
  /// 400 without `.0`, 0.015625, 1e+16.
  ///
  /// - Precondition: The number is finite.
  package mutating func value(_ number: Double) {
    beginValue()
    appendDecimal(number, to: &bytes)
  }

  /// Appends an integer.
  package mutating func value(_ number: Int) {
    beginValue()
    appendDecimal(number, to: &bytes)
  }

  /// Appends `true` or `false`.
  package mutating func value(_ isTrue: Bool) {
    beginValue()
    bytes.append(contentsOf: isTrue ? "true".utf8 : "false".utf8)
  }

  /// Appends `null`.
  package mutating func null() {
    beginValue()
    bytes.append(contentsOf: "null".utf8)
  }

  /// Appends a JSON text verbatim.
  ///
  /// - Precondition: The text is one JSON value.
  package mutating func value(json text: String) {
    beginValue()
    bytes.append(contentsOf: text.utf8)
  }

  /// Appends a JSON text verbatim.
  ///
  /// - Precondition: The text is one JSON value.
  mutating func value(utf8 text: UnsafeBufferPointer<UInt8>) {
    beginValue()
    bytes.append(contentsOf: text)
  }

  // MARK: - State

  private mutating func begin(_ bracket: Unicode.Scalar, _ closing: Unicode.Scalar) {
    beginValue()
    bytes.append(UInt8(ascii: bracket))
    containers.append(UInt8(ascii: closing))
    needsComma = false
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    precondition(
      containers.popLast() == UInt8(ascii: bracket),
      "the innermost open container ends first")
    precondition(!awaitsMemberValue, "a member has a value")
    bytes.append(UInt8(ascii: bracket))
    needsComma = true
  }

  private mutating func beginValue() {
    switch containers.last {
    case UInt8(ascii: "}"):
      precondition(awaitsMemberValue, "a value in an object follows a member's name")
      awaitsMemberValue = false
    case nil:
      precondition(isEmpty, "a JSON text is one value")
    default:
      if needsComma { bytes.append(UInt8(ascii: ",")) }
    }
    needsComma = true
  }
}
