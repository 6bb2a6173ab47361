extension JSONScanner {
  /// Parses a whole text into nodes.
  mutating func takeNodes() throws(JSONSyntaxError) -> [JSONDocument.Node] {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    skipSpace()
    var nodes: [JSONDocument.Node] = []
    /// The numbers of the open containers around the position.
    var open: [Int] = []
    var name = JSONToken()
    while true {
      // At the start of a value.
      let number = nodes.count
      let isObject = byte == UInt8(ascii: "{")
      if isObject || byte == UInt8(ascii: "[") {
        guard open.count < jsonDepthMax else { throw syntaxError("less nesting") }
        let token = JSONToken(kind: isObject ? .object : .array, start: position, end: position)
        nodes.append(JSONDocument.Node(name: name, value: token, next: number))
        open.append(number)
        position += 1
        skipSpace()
        if !take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          name = isObject ? try takeMemberName() : JSONToken()
          continue
        }
        close(&open, &nodes)
      } else {
        let token = try takeValue()
        nodes.append(JSONDocument.Node(name: name, value: token, next: number + 1))
      }
      // After a value: consumes the ends of containers up to the next value.
      while let last = open.last {
        let isObject = nodes[last].value.kind == .object
        skipSpace()
        if take(UInt8(ascii: ",")) {
          skipSpace()
          name = isObject ? try takeMemberName() : JSONToken()
          break
        }
        guard take(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw syntaxError(
            isObject ? "a comma or a closing brace" : "a comma or a closing bracket")
        }
        close(&open, &nodes)
      }
      if open.isEmpty {
        try takeEnd()
        return nodes
      }
    }
  }

  private func close(_ open: inout [Int], _ nodes: inout [JSONDocument.Node]) {
    let number = open.removeLast()
    nodes[number].value.end = position
    nodes[number].next = nodes.count
  }
}
