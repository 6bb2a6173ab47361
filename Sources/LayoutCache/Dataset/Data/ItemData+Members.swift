import CollectionLayout
import JSONText
import LayoutGeometry

extension ItemData {
  /// The members of the object, as the rules of custom kinds read them. A number too large for a
  /// double is `null`; if a name repeats, its last member is used.
  ///
  /// - Complexity: O(bytes).
  var members: [String: ConfigurationValue] {
    guard let members = [String: ConfigurationValue](json: json) else {
      preconditionFailure("data are a JSON object")
    }
    return members
  }

  /// Returns the values of members as filters read them; of a repeated name the last one. A number
  /// too large for a double is infinite.
  ///
  /// - Complexity: O(bytes).
  func filterValues(of names: Set<ExactKey>) -> [ExactKey: FilterValue] {
    var values: [ExactKey: FilterValue] = [:]
    // The text was checked when the data were created; other errors do not occur.
    guard let document = try? JSONDocument(json) else { preconditionFailure("data are JSON") }
    document.forEachChild(of: 0) { child in
      let name = ExactKey(document.name(of: child))
      if names.contains(name) { values[name] = FilterValue(document, child) }
      return true
    }
    return values
  }
}

extension [String: ConfigurationValue] {
  /// Creates the members of a JSON object, as ``ItemData/members``.
  ///
  /// - Returns: `nil` for other text.
  init?(json: String) {
    // The only error is that of text that is not JSON.
    guard case .object(let members) = (try? JSONDocument(json))?.value else { return nil }
    self = members
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
