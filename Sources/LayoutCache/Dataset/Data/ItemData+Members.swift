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
}

extension [ExactKey] {
  /// Returns the values of the members of these names in some data, as filters and orders read them,
  /// `nil` for missing ones; of a repeated name the last one. A number too large for a double is
  /// infinite.
  ///
  /// - Complexity: O(bytes · names).
  func filterValues(in data: UnsafeRawBufferPointer?) -> [FilterValue?] {
    var values: [FilterValue?] = [FilterValue?](repeating: nil, count: count)
    guard let data else { return values }
    ItemData.forEachMember(of: data) { name, value in
      for (index, wanted) in enumerated() where name.isText(wanted, in: data) {
        values[index] = FilterValue(value, in: data)
      }
    }
    return values
  }

  /// Returns the value of one of the names.
  ///
  /// - Parameter values: The values of all names, once they are known.
  func value(
    of name: ExactKey, in data: UnsafeRawBufferPointer?, _ values: inout [FilterValue?]?
  ) -> FilterValue? {
    let known = values ?? filterValues(in: data)
    values = known
    return firstIndex(of: name).flatMap { known[$0] }
  }
}

extension JSONToken {
  fileprivate func isText(_ text: ExactKey, in bytes: UnsafeRawBufferPointer) -> Bool {
    if hasEscapes { return ExactKey(self.text(in: bytes)) == text }
    var text = text.string
    return text.withUTF8 { content(in: bytes).elementsEqual($0) }
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
