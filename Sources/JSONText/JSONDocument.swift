/// A JSON text by the letter of RFC 8259, taken apart: its values, and where each
/// stands. A byte order mark before it is passed over.
///
/// The values are in one array, each before those within it, so that neither the depth
/// of a text nor its length ever matters to the call stack.
package struct JSONDocument: Sendable {
  /// A value, by its number in the text's order.
  package struct Node: Sendable {
    /// The member's name; absent for what is no member of an object.
    package internal(set) var name: JSONToken
    package internal(set) var value: JSONToken
    /// The number of the value after this one and all within it.
    package internal(set) var next: Int
  }

  package let bytes: [UInt8]
  /// At least one: the text's own value, which holds all others.
  package private(set) var nodes: [Node] = []

  /// Takes a text apart.
  ///
  /// - Throws: ``JSONSyntaxError`` for what is no JSON, has lone surrogates, or nests
  ///   deeper than ``jsonDepthMax``.
  /// - Complexity: O(bytes).
  package init(_ text: String) throws(JSONSyntaxError) {
    bytes = Array(text.utf8)
    nodes = try bytes.withUnsafeBytes { bytes in
      Result { () throws(JSONSyntaxError) in
        var scanner = JSONScanner(bytes)
        return try scanner.takeNodes()
      }
    }.get()
  }

  /// Calls `body` with the number of each value directly within one, in order, until it
  /// returns `false`.
  package func forEachChild(of node: Int, _ body: (Int) throws -> Bool) rethrows {
    var child = node + 1
    while child < nodes[node].next {
      if try !body(child) { return }
      child = nodes[child].next
    }
  }

  /// The name of a member.
  package func name(of node: Int) -> String {
    bytes.withUnsafeBytes { nodes[node].name.text(in: $0) }
  }

  /// The text of a string.
  package func string(_ node: Int) -> String {
    bytes.withUnsafeBytes { nodes[node].value.text(in: $0) }
  }

  /// The double nearest to a number; `nil` where it is too great for one.
  package func number(_ node: Int) -> Double? {
    bytes.withUnsafeBytes { try? parseDouble(nodes[node].value.content(in: $0)) }
  }

  /// A whole number that an `Int` holds, however it is written; `nil` for others.
  package func integer(_ node: Int) -> Int? {
    bytes.withUnsafeBytes { try? parseInteger(nodes[node].value.content(in: $0)) }
  }

  /// Whether a Boolean is true.
  package func isTrue(_ node: Int) -> Bool { bytes[nodes[node].value.start] == UInt8(ascii: "t") }

  /// The members of an object, by name. Canonical equivalents are one name, as they are
  /// to the dictionaries that the members end up in.
  package func members(of node: Int) -> [String: Int] {
    var members: [String: Int] = [:]
    forEachChild(of: node) { child in
      members[name(of: child)] = child
      return true
    }
    return members
  }

  /// The first member whose name its object has had before.
  package func firstRepeatedMember() -> Int? {
    for (number, node) in nodes.enumerated() where node.value.kind == .object {
      var names: Set<String> = []
      var repeated: Int?
      forEachChild(of: number) { child in
        if names.insert(name(of: child)).inserted { return true }
        repeated = child
        return false
      }
      if let repeated { return repeated }
    }
    return nil
  }
}
