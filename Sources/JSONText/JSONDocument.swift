package import LayoutGeometry

/// A parsed JSON text, strictly by RFC 8259: its values with their positions. A leading byte
/// order mark is ignored.
///
/// The values are in one array, each before those within it, so that neither the depth nor the
/// length of a text affects the call stack.
package struct JSONDocument: Sendable {
  /// A value. Its number is its index in the text's order.
  package struct Node: Sendable {
    /// The member's name; absent for values that are not members of an object.
    package internal(set) var name: JSONToken
    package internal(set) var value: JSONToken
    /// The number of the value that follows this one and all values within it.
    package internal(set) var next: Int
  }

  package let bytes: [UInt8]
  /// At least one: the top-level value, which contains all others.
  package private(set) var nodes: [Node] = []

  /// Parses a text.
  ///
  /// - Throws: ``JSONSyntaxError`` for text that is not JSON, has lone surrogates, or nests
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

  /// Calls `body` with the number of each direct child of a value, in order, until it returns
  /// `false`.
  package func forEachChild(of node: Int, _ body: (Int) throws -> Bool) rethrows {
    var child = node + 1
    while child < nodes[node].next {
      if try !body(child) { return }
      child = nodes[child].next
    }
  }

  /// Returns the name of a member.
  package func name(of node: Int) -> String {
    bytes.withUnsafeBytes { nodes[node].name.text(in: $0) }
  }

  /// Returns the text of a string.
  package func string(_ node: Int) -> String {
    bytes.withUnsafeBytes { nodes[node].value.text(in: $0) }
  }

  /// Returns the double nearest to a number; `nil` if it is too large for one.
  package func number(_ node: Int) -> Double? {
    bytes.withUnsafeBytes { try? parseDouble(nodes[node].value.content(in: $0)) }
  }

  /// Returns an integer in the range of `Int`, in any notation; `nil` for other numbers.
  package func integer(_ node: Int) -> Int? {
    bytes.withUnsafeBytes { try? parseInteger(nodes[node].value.content(in: $0)) }
  }

  /// Returns whether a Boolean is true.
  package func isTrue(_ node: Int) -> Bool { bytes[nodes[node].value.start] == UInt8(ascii: "t") }

  /// Returns the members of an object, by name.
  package func members(of node: Int) -> [ExactKey: Int] {
    var members: [ExactKey: Int] = [:]
    forEachChild(of: node) { child in
      members[ExactKey(name(of: child))] = child
      return true
    }
    return members
  }

  /// Returns the first member with a duplicate name.
  ///
  /// - Parameter isExact: Whether canonical equivalents are different names in an object.
  package func firstRepeatedMember(whereExact isExact: (Int) -> Bool = { _ in false }) -> Int? {
    for (number, node) in nodes.enumerated() where node.value.kind == .object {
      var names: Set<ExactKey> = []
      var alike: Set<String> = []
      var repeated: Int?
      let isExact = isExact(number)
      forEachChild(of: number) { child in
        let name = name(of: child)
        if isExact ? names.insert(ExactKey(name)).inserted : alike.insert(name).inserted {
          return true
        }
        repeated = child
        return false
      }
      if let repeated { return repeated }
    }
    return nil
  }
}
