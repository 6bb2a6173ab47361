extension JSONDocument {
  /// The value at the end of a path of members' names and elements' numbers, or the
  /// last one on the way there.
  package func node(at path: [String]) -> Int {
    path.reduce(0) { node, name in child(name, of: node) ?? node }
  }

  /// The member of an object with a name, or the element of an array with a number.
  package func child(_ name: String, of node: Int) -> Int? {
    switch nodes[node].value.kind {
    case .object: return members(of: node)[name]
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
  /// The line and the column of an offset in a text, both from 1. Lines end at LF, CRLF
  /// or CR; columns count Unicode scalars.
  package func lineAndColumn(ofOffset offset: Int) -> (line: Int, column: Int) {
    var (line, column) = (1, 1)
    var previous: UInt8 = 0
    for byte in prefix(offset) {
      switch byte {
      case UInt8(ascii: "\n") where previous == UInt8(ascii: "\r"): break
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"): (line, column) = (line + 1, 1)
      // The further bytes of a scalar.
      case 0x80..<0xC0: break
      default: column += 1
      }
      previous = byte
    }
    return (line, column)
  }
}
