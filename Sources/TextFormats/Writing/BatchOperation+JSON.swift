package import LayoutCache

extension BatchOperation {
  /// The operation as a line of a batch; see ``write(to:)``.
  package var line: [UInt8] {
    var json = JSONWriter()
    write(to: &json)
    return json.bytes + [UInt8(ascii: "\n")]
  }

  /// Appends the operation in the form of a line of a batch.
  ///
  /// - Precondition: The operation is one that the library returns: a move after an item or to
  ///   an index, or a measured length.
  package func write(to json: inout JSONWriter) {
    json.beginObject()
    switch self {
    case .move(let key, let destination):
      json.member("op", "move")
      json.member("key", key)
      switch destination {
      case .after(let neighbour): json.member("after", neighbour)
      case .index(let index, let section):
        json.member("section", section)
        json.member("index", index)
      default: preconditionFailure("a movement has a neighbour or an index")
      }
    case .prefer(let layout, let key, let length?, let crossLength):
      json.member("op", "prefer")
      json.member("layout", layout)
      json.member("key", key)
      json.member("length", length)
      json.optionalMember("crossLength", crossLength)
    case .preferSupplementary(let layout, let kind, let section, let length?):
      json.member("op", "prefer")
      json.member("layout", layout)
      if kind.isOfLayout {
        json.member(kind.rawValue, length)
      } else {
        json.member(kind.rawValue, section)
        json.member("length", length)
      }
    default: preconditionFailure("the library never returns such an operation")
    }
    json.endObject()
  }
}
