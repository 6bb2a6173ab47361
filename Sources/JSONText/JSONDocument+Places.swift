import LayoutGeometry

extension JSONDocument {
  /// Returns the value at the end of a path of member names and element indices, or the last
  /// existing one along the path.
  package func node(at path: [String]) -> Int {
    path.reduce(0) { node, name in child(name, of: node) ?? node }
  }

  /// Returns the member of an object with a name, or the element of an array with an index.
  package func child(_ name: String, of node: Int) -> Int? {
    switch nodes[node].value.kind {
    case .object: return members(of: node)[ExactKey(name)]
    case .array:
      var (found, left): (Int?, Int?) = (nil, Int(name))
      forEachChild(of: node) { child in
        if left == 0 { found = child }
        left = left.map { $0 - 1 }
        return found == nil
      }
      return found
    default: return nil
    }
  }
}

extension Collection<UInt8> {
  /// Returns the line and the column of an offset in a text, both from 1. Lines end at LF, CRLF
  /// or CR; columns count Unicode scalars.
  package func lineAndColumn(ofOffset offset: Int) -> (line: Int, column: Int) {
    var (line, column) = (1, 1)
    var previous: UInt8 = 0
    for byte in prefix(offset) {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): (line, column) = (line + 1, 1)
      // Continuation bytes of a scalar.
      case 0x80..<0xC0: break
      default: column += 1
      }
      previous = byte
    }
    return (line, column)
  }
}
