import CollectionLayout
import JSONText

extension ItemData {
  /// The members of the object, as the rules of custom kinds read them. A number too large for a
  /// double is `null`; if a name repeats, its last member is used.
  ///
  /// - Complexity: O(bytes).
  var members: [String: ConfigurationValue] {
    do {
      guard case .object(let members) = try JSONDocument(json).value else { return [:] }
      return members
    } catch {
      preconditionFailure("data are JSON")
    }
  }
}

extension JSONDocument {
  /// The value of the whole document.
  fileprivate var value: ConfigurationValue {
    var values = [ConfigurationValue](repeating: .null, count: nodes.count)
    // Backwards, so that children exist before their parents, without recursion.
    for node in nodes.indices.reversed() {
      values[node] =
        switch nodes[node].value.kind {
        case .absent, .null: .null
        case .boolean: .bool(isTrue(node))
        case .number: number(node).map { .number($0) } ?? .null
        case .string: .string(string(node))
        case .array: .array(children(of: node).map { values[$0] })
        case .object:
          .object(
            Dictionary(
              members(of: node).sorted { $0.value < $1.value }.map {
                ($0.key.string, values[$0.value])
              }
            ) { $1 })
        }
    }
    return values[0]
  }

  private func children(of node: Int) -> [Int] {
    var children: [Int] = []
    forEachChild(of: node) { child in
      children.append(child)
      return true
    }
    return children
  }
}
